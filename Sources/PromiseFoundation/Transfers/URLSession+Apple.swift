#if canImport(ObjectiveC)
  import Foundation
  import ObjectiveC
  import PromiseContexts

  // Tasks with a delegate of their own, which gathers the answer. It does not answer questions of authentication, and none about
  // redirections if the session has a delegate: then the session asks that one.

  extension URLSession {
    /// - Parameters:
    ///   - limit: how many bytes of a body may come.
    ///   - make: makes the outcome of what has come.
    func load<Value>(
      _ request: URLRequest, uploading body: Upload? = nil, atMost limit: Int, settling deferred: Deferred<Value>,
      making make: @escaping @Sendable (Data, URLResponse) throws -> Value
    ) throws {
      let carried = CarriedRequest(
        into: AnswerBody(), atMost: limit, reportingSent: body != nil, to: deferred.report(_:of:)
      ) { ended in
        deferred.end {
          guard case (.data(let data), let response) = try ended.get() else { throw URLError(.unknown) }
          return try make(data, response)
        }
      }
      switch body {
      case nil: start(dataTask(with: request), as: carried, settling: deferred)
      case .data(let data): start(uploadTask(with: request, from: data), as: carried, settling: deferred)
      case .file(let file): start(uploadTask(with: request, fromFile: file), as: carried, settling: deferred)
      }
    }

    /// - Parameters:
    ///   - file: where it is to be: it is written beside it.
    ///   - limit: how many bytes may come.
    ///   - keep: gets what was written, which is there only as long as it runs.
    func download<Value>(
      _ request: URLRequest, to file: URL, atMost limit: Int, settling deferred: Deferred<Value>,
      keeping keep: @escaping @Sendable (URL, URLResponse) throws -> Value
    ) throws {
      let body = try AnswerBody(beside: file)
      let carried = CarriedRequest(into: body, atMost: limit, reportingSent: false, to: deferred.report(_:of:)) {
        ended in
        deferred.end {
          guard case (.file(let file), let response) = try ended.get() else { throw URLError(.unknown) }
          return try keep(file, response)
        }
      }
      start(dataTask(with: request), as: carried, settling: deferred)
    }

    private func start<Value>(_ task: URLSessionTask, as carried: CarriedRequest, settling deferred: Deferred<Value>) {
      // A session's own delegate decides for itself what is sent after a redirection.
      let decides = delegate is any URLSessionTaskDelegate
      task.delegate = decides ? CarryingDelegate(carried) : RedirectingDelegate(carried)
      deferred.onCancel { _ in task.cancel() }
      task.resume()
    }
  }

  /// The delegate of one task, which keeps it until it has ended.
  private class CarryingDelegate: NSObject, URLSessionDataDelegate {
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
  private final class RedirectingDelegate: CarryingDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(request.withholdingCredentials(redirectedFrom: response.url))
    }
  }
#endif
