#if canImport(ObjectiveC)
  import Foundation
  import ObjectiveC
  import PromiseContexts

  // On Apple's systems each task has a delegate of its own, which gathers the response. This delegate does not answer
  // questions about authentication. It answers those about redirections only if the session has no delegate that does.

  extension URLSession {
    /// Starts a request as a task of this session.
    func start<Value>(
      _ request: URLRequest, uploading body: Upload?, as transfer: RequestTransfer, settling deferred: Deferred<Value>
    ) {
      switch body {
      case nil: start(dataTask(with: request), as: transfer, settling: deferred)
      case .data(let data): start(uploadTask(with: request, from: data), as: transfer, settling: deferred)
      case .file(let file): start(uploadTask(with: request, fromFile: file), as: transfer, settling: deferred)
      case .pieces(let pieces):
        // A session reads the body of an upload from a single file.
        send(request, uploading: .chunks { try TemporaryFile(joining: pieces) }, as: transfer, settling: deferred)
      case .chunks: send(request, uploading: body, as: transfer, settling: deferred)
      }
    }

    private func start<Value>(
      _ task: URLSessionTask, as transfer: RequestTransfer, settling deferred: Deferred<Value>
    ) {
      task.delegate = delegateDecidesRedirections ? TransferDelegate(transfer) : RedirectingDelegate(transfer)
      transfer.stream?.onPause { [weak task] pauses in pauses ? task?.suspend() : task?.resume() }
      transfer.isAwaited(by: deferred) { task.cancel() }
      task.resume()
    }

    /// Whether the session has a delegate that decides what is sent after a redirection. The method is optional.
    private var delegateDecidesRedirections: Bool {
      guard let delegate = delegate as? any URLSessionTaskDelegate else { return false }
      // Not `#selector`, which the compiler refuses on Linux, where this file is type-checked with stubs.
      let name = "URLSession:task:willPerformHTTPRedirection:newRequest:completionHandler:"
      return delegate.responds(to: Selector(name))
    }
  }

  /// The delegate of one task, which retains it until the task has ended.
  ///
  /// `@unchecked Sendable`, because the only field is constant and `Sendable`, but the compiler infers `Sendable` only
  /// for final classes.
  private class TransferDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let transfer: RequestTransfer

    init(_ transfer: RequestTransfer) { self.transfer = transfer }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      transfer.begin(response, of: dataTask)
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
      transfer.sessionHasEnded(task, with: error)
    }
  }

  extension TemporaryFile {
    /// Creates a file of data and of the contents of other files.
    fileprivate convenience init(joining pieces: [FormPart.Content]) throws {
      try self.init { target in
        for piece in pieces {
          switch piece {
          case .data(let data): try target.write(contentsOf: data)
          case .file(let url):
            let source = try FileHandle(forReadingFrom: url)
            defer { try? source.close() }
            while let part = try source.read(upToCount: 1 << 20), !part.isEmpty { try target.write(contentsOf: part) }
          }
        }
      }
    }
  }

  /// A delegate that also follows redirections, and removes credentials if the origin changes.
  ///
  /// `@unchecked Sendable`, because the superclass is.
  private final class RedirectingDelegate: TransferDelegate, @unchecked Sendable {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(request.withholdingCredentials(redirectedFrom: response.url))
    }
  }
#endif
