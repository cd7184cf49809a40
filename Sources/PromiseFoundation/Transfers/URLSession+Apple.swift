#if canImport(ObjectiveC)
  import Foundation
  import ObjectiveC
  import PromiseContexts

  // Tasks with completion handlers, which ask the session's own delegate where it has a say. What they have done so far can be
  // observed, which is enough for the progress.

  extension URLSession {
    /// - Parameter make: makes the outcome of what has come.
    func load<Value>(
      _ request: URLRequest, uploading body: Upload? = nil, settling deferred: Deferred<Value>,
      making make: @escaping @Sendable (Data, URLResponse) throws -> Value
    ) throws {
      let done: @Sendable (Data?, URLResponse?, (any Error)?) -> Void = { data, response, error in
        if let data, let response, error == nil {
          deferred.end { try make(data, response) }
        } else {
          deferred.end(with: error ?? URLError(.unknown))
        }
      }
      switch body {
      case nil: start(dataTask(with: request, completionHandler: done), reporting: .received, to: deferred)
      case .data(let data):
        start(uploadTask(with: request, from: data, completionHandler: done), reporting: .sent, to: deferred)
      case .file(let file):
        start(uploadTask(with: request, fromFile: file, completionHandler: done), reporting: .sent, to: deferred)
      }
    }

    /// - Parameters:
    ///   - file: where it is to be. It is checked before the request is sent.
    ///   - keep: gets the file, which is there only as long as it runs.
    func download<Value>(
      _ request: URLRequest, to file: URL, settling deferred: Deferred<Value>,
      keeping keep: @escaping @Sendable (URL, URLResponse) throws -> Value
    ) throws {
      try file.permissionsToKeep()
      let task = downloadTask(with: request) { file, response, error in
        if let file, let response, error == nil {
          deferred.end { try keep(file, response) }
        } else {
          deferred.end(with: error ?? URLError(.unknown))
        }
      }
      start(task, reporting: .received, to: deferred)
    }

    private enum Direction { case sent, received }

    private func start<Value>(_ task: URLSessionTask, reporting direction: Direction, to deferred: Deferred<Value>) {
      // A session's own delegate decides for itself what is sent after a redirection.
      if !(delegate is any URLSessionTaskDelegate) { task.delegate = RedirectDelegate() }
      let observation =
        switch direction {
        case .sent:
          task.observe(\.countOfBytesSent) { [weak deferred] task, _ in
            deferred?.report(task.countOfBytesSent, of: task.countOfBytesExpectedToSend)
          }
        case .received:
          task.observe(\.countOfBytesReceived) { [weak deferred] task, _ in
            deferred?.report(task.countOfBytesReceived, of: task.countOfBytesExpectedToReceive)
          }
        }
      let watching = FromAnyThread(observation)
      deferred.promise.whenSettled { watching.object.invalidate() }
      deferred.onCancel { _ in task.cancel() }
      task.resume()
    }
  }

  /// Follows redirections, and sends no credentials to another origin.
  private final class RedirectDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      completionHandler(request.withholdingCredentials(redirectedFrom: response.url))
    }
  }
#endif
