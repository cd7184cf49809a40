import Dispatch
import Foundation
import PromiseContexts
import PromiseCore
import PromiseFoundation
import Synchronization

#if canImport(Darwin)
  import Darwin
#endif

/// The promises and streams that wait for signals, by the number of the signal.
///
/// The signal handler only writes the number to a pipe. A queue reads the number when the `DescriptorMonitor` reports
/// the pipe. Signal sources of Dispatch are not used, because on Linux they replace the action of the signal by one of
/// their own, and then the time at which the former action is restored is unknown.
///
/// The pipe stays open for the life of the process.
final class SignalListeners: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are accessed only under the lock.
  private struct Listeners {
    /// The former action of the process on this signal.
    var former: sigaction
    var members: [(id: Int, listener: Listener)] = []
  }

  enum Listener {
    /// Is settled by one signal.
    case promise(Deferred<Int32>)
    /// Receives signals until it is removed.
    case stream(SignalStream)

    fileprivate var isStream: Bool { if case .stream = self { true } else { false } }

    fileprivate func receive(_ number: Int32) {
      switch self {
      case .promise(let deferred): deferred.ownedPromise.settleIfPending(.success(number))
      case .stream(let stream): stream.receive()
      }
    }
  }

  private static let current = AtomicLazyReference<SignalListeners>()

  private let lock = ShortLock()
  private var listeners: [Int32: Listeners] = [:]
  private var lastID = 0
  private let pipe: (reading: Descriptor, writing: Descriptor)
  private let monitor: DescriptorMonitor
  private let queue = DispatchQueue(label: "Promises.signals", qos: .userInteractive)

  private init() throws(SystemError) {
    pipe = try Descriptor.pipe()
    monitor = try DescriptorMonitor.shared()
    pipe.reading.makeNonblocking()
    pipe.writing.makeNonblocking()
  }

  /// Returns the listeners of the process. If it throws because the process has no descriptor left, a later call tries
  /// again.
  private static func shared() throws(SystemError) -> SignalListeners {
    if let listeners = current.load() { return listeners }
    let new = try SignalListeners()
    let listeners = current.storeIfNil(new)
    if listeners === new { listeners.waitForSignals() }
    return listeners
  }

  private func waitForSignals() {
    monitor.wait(for: POLLIN, of: pipe.reading, on: queue) { [self] in
      var numbers = [UInt8](repeating: 0, count: 256)
      // Safe, because the call writes no more bytes than the array has.
      let count = unsafe read(pipe.reading.number, &numbers, numbers.count)
      for number in numbers.prefix(max(0, count)) { deliver(Int32(number)) }
      waitForSignals()
    }
  }

  /// Adds a listener, and sets the signal handler if it is the first for this signal.
  ///
  /// - Returns: a function that removes the listener. If it was the last for this signal, the function restores the
  ///   former action before it returns.
  /// - Throws: `EINVAL` if such a signal cannot be caught.
  static func add(_ listener: Listener, for number: Int32) throws(SystemError) -> @Sendable () -> Void {
    // After one of these signals, the thread would repeat the instruction that has caused it.
    let isFatal = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS].contains(number)
    guard !isFatal, (1...255).contains(number) else { throw SystemError(EINVAL) }
    let listeners = try shared()
    let id = try listeners.add(listener, for: number)
    return { listeners.remove(id, for: number) }
  }

  private func add(_ listener: Listener, for number: Int32) throws(SystemError) -> Int {
    let id = lock.locked { () -> Result<Int, SystemError> in
      if listeners[number] == nil {
        // Pairs with the load in the signal handler, which is installed later.
        pipeForSignals.store(pipe.writing.number, ordering: .sequentiallyConsistent)
        var former = sigaction()
        var own = sigaction.forPromises
        // Safe, because the call accesses only the two variables, and the signal handler only writes to a pipe.
        guard unsafe sigaction(number, &own, &former) == 0 else { return .failure(SystemError()) }
        listeners[number] = Listeners(former: former)
      }
      lastID += 1
      listeners[number]?.members.append((lastID, listener))
      return .success(lastID)
    }
    return try id.get()
  }

  private func remove(_ id: Int, for number: Int32) {
    let removed = lock.locked { () -> Listener? in
      guard let index = listeners[number]?.members.firstIndex(where: { $0.id == id }) else { return nil }
      let removed = listeners[number]?.members.remove(at: index).listener
      restoreIfUnheard(number)
      return removed
    }
    // Released outside the lock.
    withExtendedLifetime(removed) {}
  }

  private func deliver(_ number: Int32) {
    let members = lock.locked {
      let members = listeners[number]?.members ?? []
      listeners[number]?.members = members.filter(\.listener.isStream)
      restoreIfUnheard(number)
      return members
    }
    for (_, listener) in members { listener.receive(number) }
  }

  /// Restores the former action of a signal if it has no listener any more. Call it under the lock.
  private func restoreIfUnheard(_ number: Int32) {
    guard var former = listeners[number]?.former, listeners[number]?.members.isEmpty == true else { return }
    listeners[number] = nil
    // Safe, because the call only reads the variable.
    unsafe sigaction(number, &former, nil)
  }
}

/// The descriptor to which the signal handler writes. It is not a member of the listeners, because the handler must not
/// take a lock.
private let pipeForSignals = Atomic<Int32>(-1)

extension sigaction {
  /// An action that writes the number of the signal to the pipe. System calls that it interrupts are restarted.
  fileprivate static var forPromises: sigaction {
    var action = sigaction()
    action.handler = { number in
      let error = errno
      var byte = UInt8(truncatingIfNeeded: number)
      // Safe, because the call reads one byte. If the pipe is full of unread signals, this one is dropped. The load
      // pairs with the store in `SignalListeners.add`.
      _ = unsafe write(pipeForSignals.load(ordering: .sequentiallyConsistent), &byte, 1)
      errno = error
    }
    action.sa_flags = SA_RESTART
    return action
  }
}
