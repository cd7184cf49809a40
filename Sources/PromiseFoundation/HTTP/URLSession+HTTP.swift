public import Foundation
public import PromiseContexts

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension URLSession {
  /// Sends a request, and gives the answer if its status says that all is well (reference row L9).
  ///
  /// ```swift
  /// let text = session.promise(for: .get("https://example.com/notes/{id}", ["id": 7]))
  ///   .map { response in response.text }
  /// ```
  ///
  /// Rejects with ``HTTPRequestError`` if the request cannot be sent, with ``HTTPError/status(_:)``, which has the answer,
  /// if the request does not accept its status, and with the session's error if there is no answer. Progress and
  /// cancellation are those of `promise(for:)` of a `URLRequest`; of a request with a file as its body the progress is the
  /// share that was sent.
  public func promise(
    for request: HTTPRequest, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<HTTPResponse> {
    Promise(fileID: fileID, line: line) { deferred in
      try load(try request.urlRequest(), uploading: try request.upload(), settling: deferred) { body, response in
        try HTTPResponse(response, body: body).checked(by: request)
      }
    }
  }

  /// Sends a request, and decodes the JSON of the answer (reference row L10).
  ///
  /// ```swift
  /// let notes = session.promise(for: .get("https://example.com/notes"), decoding: [Note].self)
  /// ```
  ///
  /// As `promise(for:)` of the request alone; rejects besides as ``HTTPResponse/decoded(as:decoder:)`` throws. Decoding runs
  /// on the pool. Says by `Accept` that it wants JSON, unless the request says otherwise.
  ///
  /// - Parameters:
  ///   - request: what to send.
  ///   - type: what to make of the answer.
  ///   - decoder: how.
  ///   - fileID: where the promise was made, for errors and diagnostics.
  ///   - line: the line there.
  public func promise<Value: Decodable & Sendable & SendableMetatype>(
    for request: HTTPRequest, decoding type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value> {
    promise(for: request.wantingJSON, fileID: fileID, line: line)
      .map(weight: 0, fileID: fileID, line: line) { try $0.decoded(decoder: decoder) }
  }

  /// As `promise(for:decoding:)`, and fulfils with `nil` if the answer has no body, as with status 204.
  public func promise<Value: Decodable & Sendable & SendableMetatype>(
    for request: HTTPRequest, decodingIfPresent type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value?> {
    promise(for: request.wantingJSON, fileID: fileID, line: line)
      .map(weight: 0, fileID: fileID, line: line) { try $0.decodedIfPresent(decoder: decoder) }
  }

  /// Sends a request, and writes the body of the answer into a file, if its status says that all is well.
  ///
  /// As `promise(for:)` of the request alone. What is said of files, permissions, symbolic links and errors at `downloadingTo:` of a
  /// `URLRequest` is true here as well. If the status is not accepted, an existing file keeps its content, and the body is in the error.
  ///
  /// - Parameters:
  ///   - request: what to send.
  ///   - file: in a directory that exists.
  ///   - fileID: where the promise was made, for errors and diagnostics.
  ///   - line: the line there.
  public func promise(
    for request: HTTPRequest, downloadingTo file: URL, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<HTTPResponse> {
    Promise(fileID: fileID, line: line) { deferred in
      try download(try request.urlRequest(), to: file, settling: deferred) { temporary, response in
        let head = try HTTPResponse(response, body: Data())
        guard head.isAccepted(by: request) else {
          throw HTTPError.status(try HTTPResponse(response, body: Data(contentsOf: temporary)))
        }
        try temporary.replace(file)
        return head
      }
    }
  }
}

extension HTTPRequest {
  fileprivate var wantingJSON: HTTPRequest {
    headers.contains { $0.name.lowercased() == "accept" } ? self : header("Accept", "application/json")
  }

  fileprivate func upload() throws -> Upload? {
    guard case .file(let file, _) = body else { return nil }
    return try Upload(contentsOf: file)
  }
}

extension HTTPResponse {
  fileprivate func isAccepted(by request: HTTPRequest) -> Bool { request.accepted.contains(status) }

  fileprivate func checked(by request: HTTPRequest) throws -> HTTPResponse {
    guard isAccepted(by: request) else { throw HTTPError.status(self) }
    return self
  }
}
