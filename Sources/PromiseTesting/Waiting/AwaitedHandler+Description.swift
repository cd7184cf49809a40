import Dispatch
import PromiseContexts
import PromiseCore

extension AwaitedHandler {
  /// For messages.
  var line: String { "the handler of \(promise.line) on \(contextName)" }

  /// What the context is called.
  var contextName: String {
    if let queue = context as? DispatchQueue { return "the queue \"\(queue.label)\"" }
    if let context = context as? any CustomStringConvertible { return context.description }
    return "a \(type(of: context))"
  }
}
