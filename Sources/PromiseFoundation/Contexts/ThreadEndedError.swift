/// A handler was to run on a thread that has ended: what promises derived by such handlers are rejected with (rule 6.2).
public struct ThreadEndedError: Error, Sendable, CustomStringConvertible {
  /// The name that the thread had when it became a context; empty, if none.
  public let threadName: String

  /// Says that the thread has ended, with its name.
  public var description: String {
    let thread = threadName.isEmpty ? "a thread without a name" : "the thread \"\(threadName)\""
    return "a handler was to run on \(thread), which has ended"
  }
}
