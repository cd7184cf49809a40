import Dispatch
import Foundation
import PromiseCore
import Synchronization

#if canImport(Darwin)
  import Darwin
#endif

/// Waits until descriptors can be read or written, on one thread for the whole process.
///
/// Dispatch sources are not used for this. On Linux, Dispatch crashed in about one of four runs of the tests of
/// commands, in which programs close the other ends of many pipes while the sources of these pipes are cancelled.
///
/// The thread has a table of waits. Callers send changes of the table to the thread, which add or remove a wait. The
/// thread calls `poll`, applies the changes, and submits the handler of each ready wait to the wait's queue.
///
/// Invariants:
/// - A descriptor is open while the thread polls it, because the table retains it. So its number cannot become that of
///   another file.
/// - A wait reports at most once. The thread removes it from the table when it reports.
/// - No change is missed. After adding the first change, its caller writes to the wake-up pipe. The thread empties the
///   pipe before it takes the changes.
/// - The thread blocks only in `poll`, and runs no handler itself.
///
/// The thread and the wake-up pipe stay for the life of the process.
final class DescriptorMonitor: @unchecked Sendable {
  // `@unchecked Sendable`, because the variables are accessed only under the lock.
  private struct Wait {
    let descriptor: Descriptor
    let events: Int32
    let queue: DispatchQueue
    let ready: @Sendable () -> Void
  }

  typealias WaitID = Int

  private static let current = AtomicLazyReference<DescriptorMonitor>()

  private let wakeUp: (reading: Descriptor, writing: Descriptor)
  private let lock = ShortLock()
  private var lastID = 0
  /// The changes that the thread has not taken yet. A wait of `nil` removes the one with that identifier.
  private var changes: [(id: WaitID, wait: Wait?)] = []

  private init() throws(SystemError) {
    wakeUp = try Descriptor.pipe()
    wakeUp.reading.makeNonblocking()
    wakeUp.writing.makeNonblocking()
  }

  /// Returns the monitor of the process. The first call starts its thread. If it throws because the process has no
  /// descriptor left, a later call tries again.
  static func shared() throws(SystemError) -> DescriptorMonitor {
    if let monitor = current.load() { return monitor }
    let new = try DescriptorMonitor()
    let monitor = current.storeIfNil(new)
    if monitor === new {
      // A thread of Dispatch, which tries again if the system has no thread left. A `Thread` would never run.
      DispatchQueue(label: "Promises.descriptors", qos: .userInteractive).async { new.pollForever() }
    }
    return monitor
  }

  // MARK: - For callers

  /// Waits until a descriptor is ready, or its other end is closed, or it has an error. Retains the descriptor and the
  /// handler until then, or until the wait is cancelled.
  ///
  /// - Parameters:
  ///   - events: `POLLIN` or `POLLOUT`. On Linux also 0, to wait only for the other end to be closed.
  ///   - queue: the queue on which the handler runs.
  ///   - ready: the handler, which runs at most once.
  /// - Returns: the identifier of the wait for ``cancel(_:)``.
  @discardableResult
  func wait(
    for events: Int32, of descriptor: Descriptor, on queue: DispatchQueue, _ ready: @escaping @Sendable () -> Void
  ) -> WaitID {
    let wait = Wait(descriptor: descriptor, events: events, queue: queue, ready: ready)
    let (id, isFirst) = lock.locked {
      lastID += 1
      return (lastID, add(wait, for: lastID))
    }
    if isFirst { wake() }
    return id
  }

  /// Removes a wait. The thread releases its descriptor soon afterwards. If the descriptor was ready before, the
  /// handler may still run.
  func cancel(_ id: WaitID) {
    if lock.locked({ add(nil, for: id) }) { wake() }
  }

  /// Adds a change. Call it under the lock.
  ///
  /// - Returns: whether the caller has to wake the thread. This is so if there was no other change.
  private func add(_ wait: Wait?, for id: WaitID) -> Bool {
    defer { changes.append((id, wait)) }
    return changes.isEmpty
  }

  private func wake() {
    var byte: UInt8 = 0
    // Safe, because the call reads one byte. If the pipe is full, its content wakes the thread anyway.
    _ = unsafe write(wakeUp.writing.number, &byte, 1)
  }

  // MARK: - On the thread

  private func pollForever() {
    // All signals are blocked, so that signal handlers run on the program's own threads. Safe, because each call writes
    // only to the variable.
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)

    var waits: [WaitID: Wait] = [:]
    while true {
      let ready = poll(waits)
      // Applied before the reports, so that a wait which was cancelled before its descriptor became ready is not
      // reported.
      for (id, wait) in takeChanges() { waits[id] = wait }
      for id in ready {
        guard let wait = waits.removeValue(forKey: id) else { continue }
        wait.queue.async(execute: wait.ready)
      }
    }
  }

  private func takeChanges() -> [(id: WaitID, wait: Wait?)] {
    var bytes = [UInt8](repeating: 0, count: 64)
    // The pipe is emptied before the changes are taken, as the invariants say. Safe, because the call writes no more
    // bytes than the array has.
    while unsafe read(wakeUp.reading.number, &bytes, bytes.count) == bytes.count {}
    return lock.locked {
      defer { changes = [] }
      return changes
    }
  }

  /// Returns the waits that are ready, after at least one of them is, or the thread was woken.
  private func poll(_ waits: [WaitID: Wait]) -> [WaitID] {
    var files = [pollfd(fd: wakeUp.reading.number, events: Int16(POLLIN), revents: 0)]
    // Each descriptor is polled once, for the events of all its waits. The system refuses a longer list than that of all
    // files that the process may open.
    var positions: [Int32: Int] = [:]
    for wait in waits.values {
      let number = wait.descriptor.number
      if let position = positions[number] {
        files[position].events |= Int16(wait.events)
      } else {
        positions[number] = files.count
        files.append(pollfd(fd: number, events: Int16(wait.events), revents: 0))
      }
    }
    // The call fails if the system has no memory for it. Then the caller's loop calls it again. Safe, because it
    // accesses only the array.
    guard unsafe systemPoll(&files, nfds_t(files.count), -1) > 0 else { return [] }
    return waits.compactMap { id, wait in
      guard let position = positions[wait.descriptor.number] else { return nil }
      // Without the events of the other waits for this descriptor.
      let found = Int32(files[position].revents) & (wait.events | POLLERR | POLLHUP | POLLNVAL)
      return found == 0 ? nil : id
    }
  }
}

/// `poll` of the C library. Inside ``DescriptorMonitor``, a method hides its name.
private let systemPoll: @Sendable (UnsafeMutablePointer<pollfd>?, nfds_t, Int32) -> Int32 = { unsafe poll($0, $1, $2) }
