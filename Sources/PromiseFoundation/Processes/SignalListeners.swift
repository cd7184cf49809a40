import Dispatch
import Foundation
import PromiseContexts
import PromiseCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#endif

/// The promises that wait for signals, by the number of the signal.
///
/// The signal handler only writes the number to a pipe. A queue reads the number when the `DescriptorMonitor` reports
/// the pipe. Signal sources of Dispatch are not used, because on Linux they replace the action of the signal by one of
/// their own, and then the time at which the former action is restored is unknown.
///
/// The pipe stays open for the life of the process.
final class SignalListeners: @unchecked Sendable {
  // `@unchecked` because the variables are accessed only under the lock.
  private struct Listeners {
    /// The former action of the process on this signal.
    var former: sigaction
    var deferreds: [(id: Int, deferred: Deferred<Int32>)] = []
  }

  private static let current = AtomicLazyReference<SignalListeners>()

  private let lock = ShortLock()
  private var listeners: [Int32: Listeners] = [:]
  private var lastID = 0
  private let pipe: (reading: Descriptor, writing: Descriptor)
  private let monitor: DescriptorMonitor
  private let queue = DispatchQueue(label: "Promises.signals", qos: .userInteractive)

  private init() throws(SystemError) {
    (pipe, monitor) = (try Descriptor.pipe(), try DescriptorMonitor.shared())
    pipe.reading.makeNonblocking()
    pipe.writing.makeNonblocking()
  }

  /// Returns the listeners of the process. If it throws because the process has no descriptor left, a later call tries
  /// again.
  static func shared() throws(SystemError) -> SignalListeners {
    if let listeners = current.load() { return listeners }
    let new = try SignalListeners()
    let listeners = current.storeIfNil(new)
    if listeners === new { listeners.waitForSignals() }
    return listeners
  }

  private func waitForSignals() {
    monitor.wait(for: POLLIN, of: pipe.reading, on: queue) { [self] in
      var numbers = [UInt8](repeating: 0, count: 256)
      // Safe because the call writes no more bytes than the array has.
      let count = unsafe read(pipe.reading.number, &numbers, numbers.count)
      for number in numbers.prefix(max(0, count)) { deliver(Int32(number)) }
      waitForSignals()
    }
  }

  /// Adds a promise, and sets the signal handler if it is the first for this signal.
  ///
  /// - Throws: `EINVAL` if such a signal cannot be caught.
  func add(_ deferred: Deferred<Int32>, for number: Int32) throws(SystemError) {
    let id = lock.locked { () -> Result<Int, SystemError> in
      if listeners[number] == nil {
        // Pairs with the load in the signal handler, which is installed later.
        pipeForSignals.store(pipe.writing.number, ordering: .sequentiallyConsistent)
        var former = sigaction()
        var own = sigaction.forPromises
        // Safe because the call accesses only the two variables, and the signal handler only writes to a pipe.
        guard unsafe sigaction(number, &own, &former) == 0 else { return .failure(SystemError()) }
        listeners[number] = Listeners(former: former)
      }
      lastID += 1
      listeners[number]?.deferreds.append((lastID, deferred))
      return .success(lastID)
    }
    let added = try id.get()
    deferred.onCancel { [self] _ in remove(added, for: number) }
  }

  private func remove(_ id: Int, for number: Int32) {
    let removed = lock.locked { () -> Deferred<Int32>? in
      guard let index = listeners[number]?.deferreds.firstIndex(where: { $0.id == id }) else { return nil }
      let removed = listeners[number]?.deferreds.remove(at: index).deferred
      if listeners[number]?.deferreds.isEmpty == true { restore(number) }
      return removed
    }
    // Released outside the lock.
    withExtendedLifetime(removed) {}
  }

  private func deliver(_ number: Int32) {
    let deferreds = lock.locked {
      defer { restore(number) }
      return listeners[number]?.deferreds ?? []
    }
    for (_, deferred) in deferreds { deferred.ownedPromise.settleIfPending(.success(number)) }
  }

  /// Removes the listeners of a signal, and restores the former action. Call it under the lock.
  private func restore(_ number: Int32) {
    guard var former = listeners.removeValue(forKey: number)?.former else { return }
    // Safe because the call only reads the variable.
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
      // Safe because the call reads one byte. If the pipe is full of unread signals, this one is dropped. The load
      // pairs with the store in `SignalListeners.add`.
      _ = unsafe write(pipeForSignals.load(ordering: .sequentiallyConsistent), &byte, 1)
      errno = error
    }
    action.sa_flags = SA_RESTART
    return action
  }
}
