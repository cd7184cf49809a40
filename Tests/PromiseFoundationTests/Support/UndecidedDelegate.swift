import Foundation
import PromiseFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session's delegate that is asked about one redirection, and answers when a test says so.
final class UndecidedDelegate: NSObject, URLSessionTaskDelegate {
  struct Question: Sendable {
    let task: URLSessionTask
    let request: URLRequest
    let answer: @Sendable (URLRequest?) -> Void
  }

  private let asked = Deferred<Question>()

  var question: Promise<Question> { asked.promise }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    asked.fulfill(Question(task: task, request: request, answer: completionHandler))
  }
}
