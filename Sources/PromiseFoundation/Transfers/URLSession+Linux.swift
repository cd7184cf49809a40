#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking
  import PromiseContexts

  // Of this Foundation's tasks only those of its async functions have a delegate of their own, and nothing of a task can be observed
  // (decision 15).

  extension URLSession {
    /// - Parameter make: makes the outcome of what has come.
    func load<Value>(
      _ request: URLRequest, uploading body: Upload? = nil, settling deferred: Deferred<Value>,
      making make: @escaping @Sendable (Data, URLResponse) throws -> Value
    ) throws {
      if self.delegate is any URLSessionTaskDelegate {
        return try loadApart(request, uploading: body, settling: deferred, making: make)
      }
      let delegate = TransferDelegate(of: self, reportingSent: body != nil, to: deferred.report(_:of:))
      let request = delegate.marked(request)
      Task.immediateDetached {
        do {
          let (data, response) = try await self.answer(to: request, uploading: body, delegate: delegate)
          deferred.end { try make(data, response) }
        } catch {
          if let (data, response) = delegate.answerIfRefused {
            deferred.end { try make(data, response) }
          } else {
            deferred.end(with: error)
          }
        }
        delegate.end()
      }
      deferred.onCancel { _ in delegate.cancel() }
    }

    private func answer(
      to request: URLRequest, uploading body: Upload?, delegate: TransferDelegate
    ) async throws -> (Data, URLResponse) {
      switch body {
      case nil: try await data(for: request, delegate: delegate)
      case .data(let data): try await upload(for: request, from: data, delegate: delegate)
      }
    }

    /// The session has a delegate who may be asked for a credential, and need not have one: then Foundation would wait for ever.
    private func loadApart<Value>(
      _ request: URLRequest, uploading body: Upload?, settling deferred: Deferred<Value>,
      making make: @escaping @Sendable (Data, URLResponse) throws -> Value
    ) throws {
      var request = request
      if case .data(let data) = body { request.httpBody = data }
      let place = FileManager.default.temporaryDirectory.appendingPathComponent("answer")
      try download(request, to: place, reportingSent: body != nil, settling: deferred) { file, response in
        try make(Data(contentsOf: file), response)
      }
    }

    /// - Parameters:
    ///   - file: where it is to be: it is written beside it.
    ///   - reportsSent: what counts is the body of the request, and not that of the answer.
    ///   - keep: gets what was written, which is there only as long as it runs.
    func download<Value>(
      _ request: URLRequest, to file: URL, reportingSent reportsSent: Bool = false, settling deferred: Deferred<Value>,
      keeping keep: @escaping @Sendable (URL, URLResponse) throws -> Value
    ) throws {
      let delegate = try DownloadDelegate(
        for: self, to: file, reportingSent: reportsSent, to: deferred.report(_:of:),
        finished: { file, response in deferred.end { try keep(file, response) } },
        failed: deferred.end(with:))
      let session = URLSession(configuration: configuration.withoutCache, delegate: delegate, delegateQueue: nil)
      // Not a download task: what it has written stays in the temporary directory if it does not succeed.
      let task = session.dataTask(with: request)
      // The session keeps its delegate, and the task its session, until they are done.
      session.finishTasksAndInvalidate()
      // Where it also ends: Foundation traps if a task is cancelled beside that.
      deferred.onCancel { _ in session.delegateQueue.addOperation { task.cancel() } }
      task.resume()
    }
  }

  extension URLSessionConfiguration {
    /// Else all that is downloaded would be kept in memory for the cache.
    fileprivate var withoutCache: URLSessionConfiguration {
      guard let copy = copy() as? URLSessionConfiguration else { return self }
      copy.urlCache = nil
      return copy
    }
  }
#endif
