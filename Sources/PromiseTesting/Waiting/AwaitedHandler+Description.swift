import Dispatch
import PromiseContexts
import PromiseCore

extension AwaitedHandler {
  /// For messages.
  var line: String { "the handler of \(promise.line) on \(contextName)" }

  /// It needs the main queue.
  var isOnMain: Bool { (context as? DispatchQueue)?.identity == DispatchQueue.main.identity }

  /// What the context is called.
  var contextName: String {
    if isOnMain { return "the main queue" }
    if let queue = context as? DispatchQueue { return "the queue \"\(queue.label)\"" }
    if let context = context as? any CustomStringConvertible { return context.description }
    return "a \(type(of: context))"
  }
}
