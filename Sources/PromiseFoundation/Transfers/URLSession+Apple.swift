#if canImport(ObjectiveC)
  import Foundation
  import ObjectiveC
  import PromiseContexts

  // Tasks with a delegate of their own, which gathers the answer. It does not answer questions of authentication, and none about
  // redirections if the session has a delegate: then the session asks that one.

  extension URLSession {
    /// Starts a request as a task of this session.
    func send<Value>(
      _ request: URLRequest, uploading body: Upload? = nil, as carried: CarriedRequest,
      settling deferred: Deferred<Value>
    ) {
      let task =
        switch body {
        case nil: dataTask(with: request)
        case .data(let data): uploadTask(with: request, from: data)
        case .file(let file): uploadTask(with: request, fromFile: file)
        }
      // A session's own delegate decides for itself what is sent after a redirection.
      let decides = delegate is any URLSessionTaskDelegate
      task.delegate = decides ? CarryingDelegate(carried) : RedirectingDelegate(carried)
      deferred.onCancel { _ in task.cancel() }
      task.resume()
    }
  }

  /// The delegate of one task, which retains it until the task has ended.
  ///
  /// `@unchecked Sendable`: the only field is constant and `Sendable`; the compiler accepts that for final classes only.
  private class CarryingDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let carried: CarriedRequest

    init(_ carried: CarriedRequest) { self.carried = carried }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      carried.begin(of: dataTask)
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      carried.receive(data, of: dataTask)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64, totalBytesSent sent: Int64,
      totalBytesExpectedToSend whole: Int64
    ) {
      carried.hasSent(sent, of: whole)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      carried.end(of: task, with: error)
    }
  }

  /// Also follows redirections, and sends no credentials to another origin.
  private final class RedirectingDelegate: CarryingDelegate, @unchecked Sendable {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(request.withholdingCredentials(redirectedFrom: response.url))
    }
  }
#endif
