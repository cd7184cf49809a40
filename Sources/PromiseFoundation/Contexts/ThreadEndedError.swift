/// The error for a handler that did not run to its end, because the thread of its ``ThreadContext`` has ended (rule
/// 6.2).
///
/// It rejects the promise of a handler that had not started, and of a handler that called `Thread.exit()`.
public struct ThreadEndedError: Error, Sendable, CustomStringConvertible {
  /// The name that the thread had when its first context was made. Empty if it had none.
  public let threadName: String

  /// Says that the thread has ended, with its name.
  public var description: String {
    let thread = threadName.isEmpty ? "a thread without a name" : "the thread \"\(threadName)\""
    return "a handler did not run to its end on \(thread), which has ended"
  }
}
