/// The reason why a wait has failed.
///
/// A `switch` over it needs a `default`, as one over ``/PromiseCore/PromiseError`` does.
public enum WaitError: Error, Sendable {
  /// The caller waited for a value, and the promise was rejected.
  case rejected(any Error, promise: String)
  /// The caller waited for an error, and the promise was fulfilled.
  case fulfilled(promise: String)
  /// The promise was still pending when the time was up. `waitsFor` contains the lines that a print of the promise shows
  /// for its wait: the causes (``/PromiseCore/AnyPromise/causes``), at most eight, and then the tree
  /// (``/PromiseCore/AnyPromise/waitsFor``).
  case timedOut(after: Duration, promise: String, waitsFor: [String] = [])
  /// The promise needs a context that the caller would block (rule 7.2).
  case wouldBlock(context: String, promise: String, handler: String)
  /// The promise is pending, and nothing is left that could happen in the world. `waitsFor` is as in `timedOut`.
  case stuck(promise: String, waitsFor: [String])
  /// Async code in a world waits, and nothing is left that could happen in the world. `pending` contains a line
  /// for each cause of the waits of its promises, and for some of these promises.
  case codeStuck(pending: [String])
  /// The world had ended before the code could start in it.
  case worldEnded
  /// For a minute, another thread has been running steps of the world, or a step on the `main` of another world. It may
  /// be waiting for this thread.
  case worldBusy
  /// The world was stopped after this number of steps, because it may never become idle.
  case tooManySteps(Int)
  /// `waitForPromises(within:)` was called outside a `TestWorld`.
  case noWorld
}

extension WaitError: CustomStringConvertible {
  /// The reason in words, with the promise and the place where it was made. A line for each cause and each part of the
  /// tree follows.
  public var description: String {
    switch self {
    case .rejected(let error, let promise):
      "a value was waited for, but the promise was rejected: \(error) (\(promise))"
    case .fulfilled(let promise): "an error was waited for, but the promise was fulfilled: \(promise)"
    case .timedOut(let limit, let promise, let lines):
      "still pending after \(limit): \(promise)" + Self.below(lines)
    case .wouldBlock(let context, let promise, let handler):
      """
      \(handler) has to run first, on \(context), which waiting for \(promise) would block: neither would ever go on. Wait \
      elsewhere, or attach a handler.
      """
    case .stuck(let promise, let lines):
      "nothing is left that could happen in the world, and this is still pending: \(promise)" + Self.below(lines)
    case .codeStuck(let pending):
      """
      nothing is left that could happen in the world, and the code still waits: for something outside of it (the main actor, a Task \
      without the world's executor, the system)
      """ + (pending.isEmpty ? "" : ", or for promises" + Self.below(pending))
    case .worldEnded: "the world has ended, so the code was not started: run it in a world of its own"
    case .worldBusy:
      """
      another thread has been running steps of the world, or a step on the `main` of another world, for a minute: is it waiting for \
      this one?
      """
    case .tooManySteps(let count): "the world is still busy after \(count) steps: something in it never stops"
    case .noWorld:
      """
      waitForPromises(within:) waits for the promises of a TestWorld, and this code runs in none: call it in the closure of \
      TestWorld.run. In real time, wait for the promises themselves: promise.waitForValue(within:), or \
      Promise.allSettled(promises).waitForValue(within:).
      """
    }
  }

  private static func below(_ lines: [String]) -> String { lines.map { "\n  " + $0 }.joined() }
}
