/// Promises that nobody can settle any more, and that are rejected for it: their owner is gone, or a context dropped the
/// handler (rule 6.2).
///
/// Both are learnt in a `deinit`, and rejecting there may let further handlers go, which hold further owners, and so on for
/// the length of a chain. So the first such call on a thread makes a queue, further calls below it only append to it, and
/// the first works it off in a loop (rule 6.4).
///
/// The queue is a task-local value, which on a thread without a task is a thread-local one. A task that is made meanwhile
/// inherits it: what it appends is done by the first call, if that is still at work; the queue says so.
final class LostPromises: Sendable {
  @TaskLocal private static var current: LostPromises?

  private struct Lost {
    let promise: AnyPromise
    let error: PromiseError
  }

  /// Rejects the promise with the error before it returns, except below another such call.
  @inline(never)
  static func reject(_ promise: AnyPromise, with error: PromiseError) {
    let lost = Lost(promise: promise, error: error)
    if let current, current.append(lost) { return }
    let queue = LostPromises(lost)
    $current.withValue(queue) {
      while let lost = queue.next() {
        if lost.promise.claim(rejecting: lost.error, cancelled: false) { lost.promise.settleAsOwner() }
      }
    }
  }

  // MARK: The queue

  // `nonisolated(unsafe)`: touched under the lock only.
  nonisolated(unsafe) private var waiting: [Lost]
  nonisolated(unsafe) private var isClosed = false
  private let lock = SpinLock()

  private init(_ first: Lost) { unsafe waiting = [first] }

  /// `false`: nobody works the queue off any more.
  private func append(_ lost: Lost) -> Bool {
    lock.locked {
      if unsafe isClosed { return false }
      unsafe waiting.append(lost)
      return true
    }
  }

  /// The next one; closes the queue where there is none.
  private func next() -> Lost? {
    lock.locked {
      if let lost = unsafe waiting.popLast() { return lost }
      unsafe isClosed = true
      return nil
    }
  }
}
