/// Why somebody who waited for a promise did not get what was waited for. A `switch` over it needs a `default`, as for
/// ``/PromiseCore/PromiseError``.
public enum WaitError: Error, Sendable {
  /// A value was waited for, and the promise was rejected.
  case rejected(any Error, promise: String)
  /// An error was waited for, and the promise was fulfilled.
  case fulfilled(promise: String)
  /// The promise was still pending when the time was up. With the handlers that it waited for, as far as they are known.
  case timedOut(after: Duration, promise: String, handlers: [String] = [])
  /// The promise needs a context that the caller would block by waiting (rule 7.2).
  case wouldBlock(context: String, promise: String, handler: String)
  /// The promise is pending, and nothing is left that could happen in the world. With the handlers that it waits for.
  case stuck(promise: String, handlers: [String])
  /// Async code in a world waits for something, and nothing is left that could happen there. With promises that are pending.
  case codeStuck(pending: [String])
  /// Another thread has been running one step of the world for a minute: it may be waiting for this one.
  case worldBusy
  /// A world was given up on, for it would perhaps go on for ever.
  case tooManySteps(Int)
  /// Something was asked of the world that the code runs in, and it runs in none.
  case noWorld
}

extension WaitError: CustomStringConvertible {
  /// What went wrong, with the promise and the place where it was made.
  public var description: String {
    switch self {
    case .rejected(let error, let promise):
      "a value was waited for, but the promise was rejected: \(error) (\(promise))"
    case .fulfilled(let promise): "an error was waited for, but the promise was fulfilled: \(promise)"
    case .timedOut(let limit, let promise, let handlers):
      "still pending after \(limit): \(promise)" + Self.list("it waits for", handlers)
    case .wouldBlock(let context, let promise, let handler):
      """
      waiting for \(promise) would block \(context), on which \(handler) has to run first: neither would ever go on. Wait \
      elsewhere, or attach a handler.
      """
    case .stuck(let promise, let handlers):
      "nothing is left that could happen in the world, and this is still pending: \(promise)"
        + (handlers.isEmpty ? "; its owner has to settle it" : Self.list("it waits for", handlers))
    case .codeStuck(let pending):
      """
      nothing is left that could happen in the world, and the code still waits: for something outside of it (the main actor, a Task \
      without the world's executor, the system)
      """ + (pending.isEmpty ? "" : Self.list("or for", pending))
    case .worldBusy: "another thread has been running one step of the world for a minute: is it waiting for this one?"
    case .tooManySteps(let count): "the world is still busy after \(count) steps: something in it goes on for ever"
    case .noWorld: "this code runs in no TestWorld"
    }
  }

  private static func list(_ head: String, _ lines: [String]) -> String {
    lines.isEmpty ? "" : "; \(head) " + lines.joined(separator: ", ")
  }
}
