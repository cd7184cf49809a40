public import Foundation

/// An HTTP request in readable form, which `URLSession.promise(for:)` sends.
///
/// ```swift
/// let request = HTTPRequest.post("https://example.com/users/{user}/notes", ["user": "Ada L."])
///   .header("Authorization", "Bearer \(token)")
///   .query(["notify": true])
///   .json(Note(text: "hello"))
/// ```
///
/// A request is a value. Each method returns a changed copy. A mistake in a request is not found before the request is
/// sent. Then it rejects the promise with an ``HTTPRequestError``.
public struct HTTPRequest: Sendable {
  /// Names with their values. The description of a value is sent, as for numbers, strings and UUIDs. Optionals are not
  /// allowed.
  public typealias Values = KeyValuePairs<String, any CustomStringConvertible & Sendable>

  let method: HTTPMethod
  let template: URLTemplate
  var queryItems: [(name: String, value: String)] = []
  var headers: [(name: String, value: String)] = []
  var body: HTTPBody?
  var idleTime: Duration?
  var bodyLimit: Int?
  var accepted: ClosedRange<Int> = 200...299

  /// Creates a request without a body.
  ///
  /// - Parameters:
  ///   - method: the HTTP method. For common methods there are functions such as ``get(_:_:)`` and ``post(_:_:)``.
  ///   - url: a URL with the scheme `http` or `https`. `{name}` stands for the value of that name. Everything else is
  ///     sent as it is written, so it must already be escaped where necessary.
  ///   - values: one value for each name in the URL. All reserved characters of a value are escaped, also slashes, so a
  ///     value never becomes two segments of a path. A missing value is an error, and so is a value for a name that the
  ///     URL does not have.
  public init(_ method: HTTPMethod, _ url: String, _ values: Values = [:]) {
    self.method = method
    template = URLTemplate(text: url, values: values.map { ($0.key, "\($0.value)") })
  }

  /// Adds items to the query of the URL, in this order. Names and values are escaped. A name may occur several times.
  public func query(_ items: Values) -> HTTPRequest {
    with { $0.queryItems += items.map { ($0.key, "\($0.value)") } }
  }

  /// Sets a header. Replaces a header of the same name.
  public func header(_ name: String, _ value: String) -> HTTPRequest {
    with { request in
      request.headers.removeAll { $0.name.lowercased() == name.lowercased() }
      request.headers.append((name, value))
    }
  }

  /// Sets the body to names and values as an HTML form sends them (`application/x-www-form-urlencoded`).
  public func form(_ items: Values) -> HTTPRequest {
    with { $0.body = .form(items.map { ($0.key, "\($0.value)") }) }
  }

  /// Sets the body to a value as JSON (`application/json`). The value is encoded when the request is sent.
  public func json(_ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> HTTPRequest {
    with { $0.body = .json { try encoder.encode(value) } }
  }

  /// Sets the body to bytes. `type` is their content type.
  public func body(_ data: Data, type: String = "application/octet-stream") -> HTTPRequest {
    with { $0.body = .data(data, type: type) }
  }

  /// Sets the body to the contents of a file. `type` is their content type. The progress of the promise is then the
  /// share that was sent.
  ///
  /// The file is read while it is sent, and is never in memory as a whole. It must not change until the promise is
  /// settled. If it cannot be read or is not a regular file, as a named pipe, the promise is rejected with
  /// `CocoaError`. On Linux a file that becomes shorter rejects the promise with `URLError`.
  public func body(fileAt file: URL, type: String = "application/octet-stream") -> HTTPRequest {
    with { $0.body = .file(file, type: type) }
  }

  /// Sets the body to the chunks of an asynchronous sequence.
  ///
  /// ```swift
  /// let upload = HTTPRequest.put("https://example.com/log").body(chunks: chunks, type: "text/plain")
  /// ```
  ///
  /// The chunks are written to a temporary file, which is sent when the sequence has ended. So the body is never in
  /// memory as a whole, its length is known, and it can be sent again after a redirection. The progress of the promise
  /// is the share that was sent. Each call that sends the request iterates the sequence anew, in a Task of its own. If
  /// the sequence fails, its error rejects the promise, and nothing is sent. Cancelling the promise cancels the Task.
  public func body<Chunks: AsyncSequence & Sendable & SendableMetatype>(
    chunks: Chunks, type: String = "application/octet-stream"
  ) -> HTTPRequest where Chunks.Element == Data {
    with { $0.body = .chunks({ try await TemporaryFile(of: chunks) }, type: type) }
  }

  /// Sets the body to a form with parts, which may be files (`multipart/form-data`).
  ///
  /// ```swift
  /// let request = HTTPRequest.post("https://example.com/photos")
  ///   .multipart([.value("title", "Lake"), .file("photo", at: file, type: "image/jpeg")])
  /// ```
  ///
  /// Files are read while they are sent, and are never in memory as a whole. The progress of the promise is then the
  /// share that was sent. They must not change until the promise is settled. On Apple's systems the body is first
  /// written to a temporary file.
  public func multipart(_ parts: [FormPart]) -> HTTPRequest { with { $0.body = .multipart(MultipartForm(parts)) } }

  /// Sets how long the request may wait for data before it fails with `URLError.timedOut`. Without it, the limit is
  /// that of the session.
  ///
  /// To limit the total time of the request, use `timeout` on the promise.
  public func idleTimeout(_ limit: Duration) -> HTTPRequest { with { $0.idleTime = limit } }

  /// Limits the body of the response to this number of bytes, counted after decompression. Without it, the limit is
  /// ``defaultMaximumBodySize``. `.max` means no limit.
  ///
  /// If more bytes arrive, the promise is rejected with ``TransferError/bodyTooLarge(limit:url:)``, and the request is
  /// cancelled at once. The limit bounds the memory of the client, also when a small body decompresses to a large one.
  /// A download into a file has no limit unless this sets one.
  public func maximumBodySize(_ bytes: Int) -> HTTPRequest { with { $0.bodyLimit = bytes } }

  /// The default limit for bodies in memory, which is 256 MiB.
  public static let defaultMaximumBodySize = 256 << 20

  /// Sets the status codes that are no errors, in place of 200...299.
  public func accepting(_ statuses: ClosedRange<Int>) -> HTTPRequest { with { $0.accepted = statuses } }

  private func with(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
    var request = self
    change(&request)
    return request
  }
}
