import Foundation
import PromiseFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session's delegate that answers a question about a redirection when a test says so.
final class UndecidedDelegate: NSObject, URLSessionTaskDelegate {
  struct Question: Sendable {
    let task: URLSessionTask
    let request: URLRequest
    let answer: @Sendable (URLRequest?) -> Void
  }

  private let asked = Deferred<Question>()
  private let ask: @Sendable (Question) -> Void

  /// - Parameter ask: called on the thread of the session that asks.
  init(_ ask: @escaping @Sendable (Question) -> Void = { _ in }) { self.ask = ask }

  /// The first question.
  var question: Promise<Question> { asked.promise }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    let question = Question(task: task, request: request, answer: completionHandler)
    ask(question)
    if asked.promise.isPending { asked.fulfill(question) }
  }
}
