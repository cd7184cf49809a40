import Foundation
import PromiseFoundation

/// A delegate of a session that answers a question about a redirection when a test decides.
final class UndecidedDelegate: NSObject, URLSessionTaskDelegate {
  struct Question: Sendable {
    let task: URLSessionTask
    let request: URLRequest
    let answer: @Sendable (URLRequest?) -> Void
  }

  private let asked = Deferred<Question>()
  private let ask: @Sendable (Question) -> Void

  /// - Parameter ask: called for each question, on the thread of the session.
  init(_ ask: @escaping @Sendable (Question) -> Void = { _ in }) { self.ask = ask }

  /// A promise for the first question.
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
