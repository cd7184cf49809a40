import Dispatch
import PromiseContexts
package import PromiseCore

extension AwaitedHandler {
  /// The handler and its context in words, for messages.
  var line: String { "\(summary) on \(contextName)" }

  /// Whether the handler needs the main queue.
  var isOnMain: Bool {
    (context as? DispatchQueue)?.identity == DispatchQueue.main.identity || placeInMainLoop == .mainQueue
  }

  /// Whether a wait that runs the run loop of the main thread lets the handler run, if the main queue is not blocked.
  var runsInMainLoop: Bool { isOnMain || placeInMainLoop == .source }

  private var placeInMainLoop: PlaceInMainLoop? { (context as? any MainLoopContext)?.placeInMainLoop }

  /// The name of the context, for messages.
  var contextName: String { isOnMain ? "the main queue" : context.nameInReports }
}

extension AnyPromise {
  /// Throws if the promise waits for a handler on a context that the caller would block by waiting (rule 7.2).
  package func refuseToBlock(ifNeeding isBlocked: (AwaitedHandler) -> Bool) throws {
    guard let handler = awaitedHandlers.first(where: isBlocked) else { return }
    throw WaitError.wouldBlock(
      context: handler.contextName, promise: line, handler: handler.summary)
  }

  /// Returns the error for a promise that is still pending when the time is up.
  package func timedOut(after limit: Duration) -> WaitError {
    .timedOut(after: limit, promise: line, waitsFor: waitLines)
  }
}
