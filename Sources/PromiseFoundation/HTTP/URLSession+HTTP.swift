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
  /// Rejects with ``HTTPRequestError`` if the request cannot be sent, with ``TransferError/bodyTooLarge(limit:url:)`` if the body of the
  /// answer, whatever its status, is larger than ``HTTPRequest/maximumBodySize(_:)``, with ``HTTPError/status(_:)``, which has the answer,
  /// if the request does not accept its status, and with the session's error if there is no answer. Progress and
  /// cancellation are those of `promise(for:)` of a `URLRequest`; of a request with a file as its body the progress is the
  /// share that was sent.
  public func promise(
    for request: HTTPRequest, fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<HTTPResponse> {
    Promise(fileID: fileID, line: line) { deferred in
      let (urlRequest, upload) = (try request.urlRequest(), try request.upload())
      load(urlRequest, uploading: upload, atMost: request.memoryLimit, settling: deferred) { body, response in
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
    promise(for: request.acceptingJSON, fileID: fileID, line: line)
      .map(weight: 0, fileID: fileID, line: line) { try $0.decoded(decoder: decoder) }
  }

  /// As `promise(for:decoding:)`, and fulfils with `nil` if the answer has no body, as with status 204.
  public func promise<Value: Decodable & Sendable & SendableMetatype>(
    for request: HTTPRequest, decodingIfPresent type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Value?> {
    promise(for: request.acceptingJSON, fileID: fileID, line: line)
      .map(weight: 0, fileID: fileID, line: line) { try $0.decodedIfPresent(decoder: decoder) }
  }

  /// Sends a request, and writes the body of the answer into a file, if its status says that all is well.
  ///
  /// As `promise(for:)` of the request alone. What is said of files, permissions, symbolic links and errors at `downloadingTo:` of a
  /// `URLRequest` is true here as well. If the status is not accepted, an existing file keeps its content, and the body is in the error.
  /// The limit of ``HTTPRequest/maximumBodySize(_:)`` is for the file, too. A request that does not set it has no limit for the file, and
  /// the usual one for a body that is to be in the error.
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
      let (urlRequest, limit) = (try request.urlRequest(), request.fileLimit)
      try download(urlRequest, to: file, atMost: limit, settling: deferred) { temporary, response in
        let head = try HTTPResponse(response, body: Data())
        guard head.isAccepted(by: request) else {
          throw HTTPError.status(
            try HTTPResponse(response, body: try temporary.content(atMost: request.memoryLimit, from: response.url)))
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

  /// How many bytes of an answer may be in memory.
  var memoryLimit: Int { bodyLimit ?? Self.defaultMaximumBodySize }

  /// How many bytes of an answer may be in a file.
  var fileLimit: Int { bodyLimit ?? .max }

  fileprivate func upload() throws -> Upload? {
    guard case .file(let file, _) = body else { return nil }
    return try Upload(contentsOf: file)
  }
}

extension URL {
  /// Of a body that was downloaded, and that is an error's.
  fileprivate func content(atMost limit: Int, from url: URL?) throws -> Data {
    let file = try FileHandle(forReadingFrom: self)
    defer { try? file.close() }
    guard try file.seekToEnd() <= limit else { throw TransferError.bodyTooLarge(limit: limit, url: url) }
    try file.seek(toOffset: 0)
    return try file.readToEnd() ?? Data()
  }
}

extension HTTPResponse {
  fileprivate func isAccepted(by request: HTTPRequest) -> Bool { request.accepted.contains(status) }

  fileprivate func checked(by request: HTTPRequest) throws -> HTTPResponse {
    guard isAccepted(by: request) else { throw HTTPError.status(self) }
    return self
  }
}
