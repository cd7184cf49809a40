#if canImport(ObjectiveC)
  import Foundation
  import ObjectiveC
  import PromiseContexts

  // On Apple's systems each task has a delegate of its own, which gathers the response. This delegate does not answer
  // questions about authentication. It answers those about redirections only if the session has no delegate that does.

  extension URLSession {
    /// Starts a request as a task of this session.
    func send<Value>(
      _ request: URLRequest, uploading body: Upload? = nil, as transfer: RequestTransfer,
      settling deferred: Deferred<Value>
    ) {
      let task =
        switch body {
        case nil: dataTask(with: request)
        case .data(let data): uploadTask(with: request, from: data)
        case .file(let file): uploadTask(with: request, fromFile: file)
        }
      // If the session has a delegate for tasks, that delegate decides what is sent after a redirection.
      let decides = delegate is any URLSessionTaskDelegate
      task.delegate = decides ? TransferDelegate(transfer) : RedirectingDelegate(transfer)
      deferred.onCancel { _ in task.cancel() }
      task.resume()
    }
  }

  /// The delegate of one task, which retains it until the task has ended.
  ///
  /// `@unchecked Sendable`: the only field is constant and `Sendable`, but the compiler infers `Sendable` only for
  /// final classes.
  private class TransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let transfer: RequestTransfer

    init(_ transfer: RequestTransfer) { self.transfer = transfer }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      transfer.beginResponse(of: dataTask)
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      transfer.receive(data, of: dataTask) { dataTask.cancel() }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData count: Int64, totalBytesSent sent: Int64,
      totalBytesExpectedToSend whole: Int64
    ) {
      transfer.didSend(sent, of: whole)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      transfer.complete(task, with: error)
    }
  }

  /// A delegate that also follows redirections, and removes credentials if the origin changes.
  private final class RedirectingDelegate: TransferDelegate, @unchecked Sendable {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(request.withholdingCredentials(redirectedFrom: response.url))
    }
  }
#endif
