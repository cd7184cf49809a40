import Foundation
import PromiseContexts

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Requests whose responses the library gathers itself. `send` starts such a request by `start`, of which Apple's
// systems and Linux have different versions.

extension URLSession {
  /// Sends a request, when its body is complete.
  func send<Value>(
    _ request: URLRequest, uploading body: Upload? = nil, as transfer: RequestTransfer,
    settling deferred: Deferred<Value>
  ) {
    transfer.settles(deferred)
    #if canImport(FoundationNetworking)
      var request = request
      request.url = request.url?.withLowercaseScheme
    #endif
    guard case .chunks(let write)? = body else {
      return start(request, uploading: body, as: transfer, settling: deferred)
    }
    #if canImport(FoundationNetworking)
      // Made now, because Foundation stops the process if an invalidated session makes a task.
      let ended = Deferred<Void>()
      let placeholder = dataTask(with: request) { _, _, _ in ended.fulfill() }
      transfer.placeholder = (placeholder, ended.promise)
    #endif
    let task = Task {
      do {
        let file = try await write()
        try Task.checkCancellation()
        transfer.file = file
        start(request, uploading: try Upload(contentsOf: file.url), as: transfer, settling: deferred)
      } catch {
        #if canImport(FoundationNetworking)
          let error: any Error = ended.promise.isPending ? error : URLError(.cancelled)
          placeholder.cancel()
        #endif
        transfer.endUnsent(because: error)
      }
    }
    transfer.isAwaited(by: deferred) { task.cancel() }
    #if canImport(FoundationNetworking)
      ended.promise.whenSettled { task.cancel() }
    #endif
  }

  /// Sends a request and gathers the response in memory.
  ///
  /// - Parameters:
  ///   - limit: the greatest number of bytes that the body may have.
  ///   - make: makes the value of the promise from the response. An error that it throws rejects the promise.
  func load<Value>(
    _ request: URLRequest, uploading body: Upload? = nil, atMost limit: Int, settling deferred: Deferred<Value>,
    making make: @escaping @Sendable (Data, URLResponse) throws -> Value
  ) {
    let transfer = RequestTransfer(
      into: ResponseBody(), atMost: limit, reportingSent: body != nil, to: deferred.report(_:of:)
    ) { result in
      deferred.settleIfPending {
        guard case (.data(let data), let response) = try result.get() else { throw URLError(.unknown) }
        return try make(data, response)
      }
    }
    send(request, uploading: body, as: transfer, settling: deferred)
  }

  /// Sends a request and writes the body of the response to a temporary file in the folder of the target.
  ///
  /// - Parameters:
  ///   - limit: the greatest number of bytes that the body may have.
  ///   - begin: returns another limit for the body of a response, or `nil`.
  ///   - keep: receives the temporary file, and moves it to keep it. When it returns, the temporary file is removed.
  /// - Throws: an error of the file system or ``TransferError``, if the target cannot be written.
  func download<Value>(
    _ request: URLRequest, uploading upload: Upload? = nil, to file: URL, atMost limit: Int,
    beginning begin: @escaping @Sendable (URLResponse) -> Int? = { _ in nil }, settling deferred: Deferred<Value>,
    keeping keep: @escaping @Sendable (URL, URLResponse) throws -> Value
  ) throws {
    let body = try ResponseBody(beside: file)
    let transfer = RequestTransfer(
      into: body, atMost: limit, beginning: begin, reportingSent: false, to: deferred.report(_:of:)
    ) { result in
      deferred.settleIfPending {
        guard case (.file(let file), let response) = try result.get() else { throw URLError(.unknown) }
        // Removes the file, if it was not moved, before the promise is settled.
        defer { try? FileManager.default.removeItem(at: file) }
        return try keep(file, response)
      }
    }
    send(request.withoutCompression(in: self), uploading: upload, as: transfer, settling: deferred)
  }
}

extension URLRequest {
  /// Returns this request as one for a body that is not compressed, unless the caller or the session asks for another.
  ///
  /// On Linux (Swift 6.3.1) a compressed body that ends too early counts as complete, so a part would replace the file
  /// of a download, or end a stream. The length of a compressed body is also unknown there, so there would be no
  /// progress.
  func withoutCompression(in session: URLSession) -> URLRequest {
    #if canImport(FoundationNetworking)
      let additional = session.configuration.httpAdditionalHeaders ?? [:]
      guard value(forHTTPHeaderField: "Accept-Encoding") == nil,
        !additional.keys.contains(where: { ($0 as? String)?.lowercased() == "accept-encoding" })
      else { return self }
      var request = self
      request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
      return request
    #else
      return self
    #endif
  }
}
