public import PromiseContexts

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension URLSession {
  /// Sends a request, and returns a promise for the response, whose body is read while it arrives.
  ///
  /// ```swift
  /// let stream = try await session.stream(for: .get("https://example.com/log")).value
  /// for try await line in stream.lines { print(line) }
  /// ```
  ///
  /// The promise is fulfilled when the head of the response has arrived and the request accepts its status. From then
  /// on, ``HTTPStream/end`` stands for the body. Otherwise the promise is rejected as that of `promise(for:)`, and
  /// ``HTTPError/status(_:)`` has the body of the response. The default limit applies to that body.
  ///
  /// - **Cancelling** the promise before it is fulfilled cancels the request. After that, cancel ``HTTPStream/end``.
  ///   A stream that no program code retains cancels its request, too.
  /// - **Progress**: none until the promise is fulfilled. ``HTTPStream/end`` has the progress of the body.
  /// - **Idle time**: The limit applies only while the session reads. A consumer that takes long causes no timeout.
  /// - **Linux**: A stream has a connection of its own, which is closed at the end, because Foundation cannot pause a
  ///   single request there. As for a download, the body is requested without compression.
  /// - **Status 401 and 407**: If the request accepts them, the body is gathered before the promise is fulfilled, because
  ///   the session may send the request again with a credential.
  ///
  /// - Parameters:
  ///   - request: the request to send. The promise is rejected with ``HTTPRequestError`` if it cannot be sent.
  ///   - fileID: the file where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
  public func stream(
    for request: HTTPRequest, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<HTTPStream> {
    Promise(fileID: fileID, line: line) { deferred in
      let (urlRequest, upload) = try request.urlRequestAndUpload()
      let end = Deferred<Void>(fileID: fileID, line: line)
      deferred.onCancel { [promise = end.promise] reason in promise.cancel(reason: reason) }
      let idleLimit = request.idleTime == nil ? nil : urlRequest.timeoutInterval
      open(
        urlRequest, uploading: upload, into: BodyStream(head: deferred, end: end, idleLimit: idleLimit), for: request)
    }
  }

  private func open(
    _ urlRequest: URLRequest, uploading upload: Upload?, into body: BodyStream, for request: HTTPRequest
  ) {
    let transfer = RequestTransfer(to: body, orInMemoryAtMost: request.memoryLimit) { response in
      guard let response = try? HTTPResponse(response, body: Data()), response.isAccepted(by: request),
        ![401, 407].contains(response.status)
      else { return nil }
      body.begin(with: response)
      return request.fileLimit
    } completion: { result in
      if body.finish(with: result.map { _ in }) { return }
      do {
        guard case (.data(let data), let response) = try result.get() else { throw URLError(.unknown) }
        _ = try HTTPResponse(response, body: data).checked(by: request)
        body.begin(with: try HTTPResponse(response, body: Data()))
        body.append(data)
        body.finish(with: .success(()))
      } catch {
        body.refuse(because: error)
      }
    }
    send(urlRequest.withoutCompression(in: self), uploading: upload, as: transfer, settling: body.end)
  }
}
