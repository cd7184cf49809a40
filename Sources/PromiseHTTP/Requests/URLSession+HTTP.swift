public import Foundation
public import PromiseContexts

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension URLSession {
  /// Sends a request, and returns a promise for the response. The promise is rejected if the request does not accept
  /// the status.
  ///
  /// ```swift
  /// let text = session.promise(for: .get("https://example.com/notes/{id}", ["id": 7]))
  ///   .map { response in response.text }
  /// ```
  ///
  /// The promise is rejected with
  /// - ``HTTPRequestError``, if the request cannot be sent,
  /// - ``TransferError/bodyTooLarge(limit:url:)``, if the body of the response is larger than
  ///   ``HTTPRequest/maximumBodySize(_:)``, whatever the status,
  /// - ``HTTPError/status(_:)``, which has the response, if the request does not accept the status,
  /// - the session's error, if there is no response.
  ///
  /// Progress and cancellation are those of `promise(for:)` of a `URLRequest`. If the body of the request is a file,
  /// the progress is the share that was sent.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - fileID: the file where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
  public func promise(
    for request: HTTPRequest, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<HTTPResponse> {
    Promise(fileID: fileID, line: line) { deferred in
      let (urlRequest, upload) = try request.urlRequestAndUpload()
      load(urlRequest, uploading: upload, atMost: request.memoryLimit, settling: deferred) { body, response in
        try HTTPResponse(response, body: body).checked(by: request)
      }
    }
  }

  /// Sends a request, and returns a promise for the value that is decoded from the JSON of the response.
  ///
  /// ```swift
  /// let notes = session.promise(for: .get("https://example.com/notes"), decoding: [Note].self)
  /// ```
  ///
  /// The request is sent as by `promise(for:)`. It gets the header `Accept: application/json`, unless it has an
  /// `Accept` header. Decoding runs on the pool, and rejects with the errors of ``HTTPResponse/decoded(as:decoder:)``.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - type: the type of the decoded value.
  ///   - decoder: the decoder.
  ///   - fileID: the file where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
  public func promise<Value: Decodable & Sendable & SendableMetatype>(
    for request: HTTPRequest, decoding type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value> {
    promise(for: request.acceptingJSON, fileID: fileID, line: line)
      .map(fileID: fileID, line: line) { try $0.decoded(decoder: decoder) }
  }

  /// Sends a request as `promise(for:decoding:)` does. Fulfils the promise with `nil` if the response has no body, as
  /// with status 204.
  public func promise<Value: Decodable & Sendable & SendableMetatype>(
    for request: HTTPRequest, decodingIfPresent type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value?> {
    promise(for: request.acceptingJSON, fileID: fileID, line: line)
      .map(fileID: fileID, line: line) { try $0.decodedIfPresent(decoder: decoder) }
  }

  /// Sends a request, and writes the body of the response to a file if the request accepts the status.
  ///
  /// The request is sent as by `promise(for:)`. Files, permissions, symbolic links and their errors are treated as by
  /// `downloadingTo:` of a `URLRequest`. If the request does not accept the status, an existing file keeps its content,
  /// and the error has the body.
  ///
  /// ``HTTPRequest/maximumBodySize(_:)`` also limits the file. A request that does not set it has no limit for the
  /// file, and the default limit for the body of an error.
  ///
  /// - Parameters:
  ///   - request: the request to send.
  ///   - file: the file to write. Its directory must exist.
  ///   - fileID: the file of source where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
  public func promise(
    for request: HTTPRequest, downloadingTo file: URL, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<HTTPResponse> {
    Promise(fileID: fileID, line: line) { deferred in
      let (urlRequest, upload) = try request.urlRequestAndUpload()
      try download(
        urlRequest, uploading: upload, to: file, atMost: request.memoryLimit, beginning: request.limit(for:),
        settling: deferred
      ) { temporary, response in
        let head = try HTTPResponse(response, body: Data())
        guard head.isAccepted(by: request) else {
          throw HTTPError.status(try HTTPResponse(response, body: try Data(contentsOf: temporary)))
        }
        try temporary.replace(file)
        return head
      }
    }
  }
}

extension HTTPRequest {
  fileprivate var acceptingJSON: HTTPRequest {
    headers.contains { $0.name.lowercased() == "accept" } ? self : header("Accept", "application/json")
  }

  /// The limit for a body in memory, in bytes.
  var memoryLimit: Int { bodyLimit ?? Self.defaultMaximumBodySize }

  /// The limit for a body in a file, in bytes.
  var fileLimit: Int { bodyLimit ?? .max }

  /// Returns the limit for the body of a response that goes to a file if the request accepts its status, and otherwise
  /// becomes part of an error.
  func limit(for response: URLResponse) -> Int {
    guard let head = response as? HTTPURLResponse, accepted.contains(head.statusCode) else { return memoryLimit }
    return fileLimit
  }
}

extension HTTPResponse {
  func isAccepted(by request: HTTPRequest) -> Bool { request.accepted.contains(status) }

  func checked(by request: HTTPRequest) throws -> HTTPResponse {
    guard isAccepted(by: request) else { throw HTTPError.status(self) }
    return self
  }
}

// MARK: - Streams

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
  /// - **Status 401 and 407**: If the request accepts them, the body is gathered before the promise is fulfilled,
  ///   because the session may send the request again with a credential.
  ///
  /// - Parameters:
  ///   - request: the request to send. The promise is rejected with ``HTTPRequestError`` if it cannot be sent.
  ///   - fileID: the file where the promise was made, for errors and diagnostics.
  ///   - line: the line where the promise was made.
  public func stream(
    for request: HTTPRequest, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<HTTPStream> {
    stream(for: request, timers: .dispatch, fileID: fileID, line: line)
  }

  /// Sends a request, whose idle time the timers measure. (On Apple's systems the session measures it.)
  func stream(
    for request: HTTPRequest, timers: any TimerContext, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<HTTPStream> {
    Promise(fileID: fileID, line: line) { deferred in
      let (urlRequest, upload) = try request.urlRequestAndUpload()
      let end = Deferred<Void>(fileID: fileID, line: line)
      deferred.onCancelThen(fileID: fileID, line: line) { [promise = end.promise] reason in
        promise.cancel(reason: reason)
        return promise.whenFinished()
      }
      let idleLimit = request.idleTime == nil ? nil : urlRequest.timeoutInterval
      let body = BodyStream(head: deferred, end: end, idleLimit: idleLimit, timers: timers)
      open(urlRequest, uploading: upload, into: body, for: request)
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
