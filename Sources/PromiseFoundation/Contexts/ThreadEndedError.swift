/// The thread of a ``ThreadContext`` ended before a handler had run to its end (rule 6.2).
///
/// Rejects the promise derived by a handler that had not started, and by a handler that called `Thread.exit()`.
public struct ThreadEndedError: Error, Sendable, CustomStringConvertible {
  /// The name that the thread had when it became a context; empty, if none.
  public let threadName: String

  /// Says that the thread has ended, with its name.
  public var description: String {
    let thread = threadName.isEmpty ? "a thread without a name" : "the thread \"\(threadName)\""
    return "a handler did not run to its end on \(thread), which has ended"
  }
}
