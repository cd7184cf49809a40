public import Foundation

/// A request in readable form: what `URLSession.promise(for:)` sends (reference row L9).
///
/// ```swift
/// let request = HTTPRequest.post("https://example.com/users/{user}/notes", ["user": "Ada L."])
///   .header("Authorization", "Bearer \(token)")
///   .query(["notify": true])
///   .json(Note(text: "hello"))
/// ```
///
/// A value, which each method copies and changes. Nothing is checked before it is sent: what is wrong with it rejects the
/// promise, with an ``HTTPRequestError`` that says what.
public struct HTTPRequest: Sendable {
  /// A name and what it stands for. Values are written as text: numbers, strings, UUIDs and so on, but no optionals.
  public typealias Values = KeyValuePairs<String, any CustomStringConvertible & Sendable>

  let method: HTTPMethod
  let template: URLTemplate
  var queryItems: [(name: String, value: String)] = []
  var headers: [(name: String, value: String)] = []
  var body: HTTPBody?
  var idleTime: Duration?
  var bodyLimit: Int?
  var accepted: ClosedRange<Int> = 200...299

  /// A request without a body.
  ///
  /// - Parameters:
  ///   - method: what the server is to do. For the usual ones there are functions: ``get(_:_:)``, ``post(_:_:)`` and so on.
  ///   - url: `http` or `https`, with its own escapes, and `{name}` wherever a value is to be put in.
  ///   - values: one for each name in the URL. They are escaped, slashes too: a value never becomes two parts of a path. A name
  ///     that is missing, or that the URL does not have, is an error.
  public init(_ method: HTTPMethod, _ url: String, _ values: Values = [:]) {
    self.method = method
    template = URLTemplate(text: url, values: values.map { ($0.key, "\($0.value)") })
  }

  /// Adds to the query of the URL, escaped, in this order. A name may occur several times.
  public func query(_ items: Values) -> HTTPRequest {
    with { $0.queryItems += items.map { ($0.key, "\($0.value)") } }
  }

  /// Sets a header, in place of one of the same name.
  public func header(_ name: String, _ value: String) -> HTTPRequest {
    with { request in
      request.headers.removeAll { $0.name.lowercased() == name.lowercased() }
      request.headers.append((name, value))
    }
  }

  /// Sends names and values as a form would (`application/x-www-form-urlencoded`).
  public func form(_ items: Values) -> HTTPRequest {
    with { $0.body = .form(items.map { ($0.key, "\($0.value)") }) }
  }

  /// Sends a value as JSON (`application/json`).
  public func json(_ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> HTTPRequest {
    with { $0.body = .json { try encoder.encode(value) } }
  }

  /// Sends bytes as they are, as `type` says of their content.
  public func body(_ data: Data, type: String = "application/octet-stream") -> HTTPRequest {
    with { $0.body = .data(data, type: type) }
  }

  /// Sends the contents of a file, as `type` says of them. The progress of the promise is then the share that was sent.
  public func body(fileAt file: URL, type: String = "application/octet-stream") -> HTTPRequest {
    with { $0.body = .file(file, type: type) }
  }

  /// How long nothing may come before the request fails with `URLError.timedOut`; the session's time, if this is left out.
  /// For a limit on the whole there is `timeout` on the promise.
  public func idleTimeout(_ limit: Duration) -> HTTPRequest { with { $0.idleTime = limit } }

  /// Limits the body of the answer to this many bytes, counted after decompression. Without it the limit is
  /// ``defaultMaximumBodySize``; `.max` is no limit.
  ///
  /// If more arrives, the promise is rejected with ``TransferError/bodyTooLarge(limit:url:)``, and the request is cancelled at once: what
  /// a server can make a client keep in memory is bounded, also by a small body that decompresses to a large one. A download into a file
  /// has no limit unless this sets one.
  public func maximumBodySize(_ bytes: Int) -> HTTPRequest { with { $0.bodyLimit = bytes } }

  /// The limit for bodies in memory where none is given: 256 MiB.
  public static let defaultMaximumBodySize = 256 << 20

  /// Which status codes are no errors, in place of 200...299.
  public func accepting(_ statuses: ClosedRange<Int>) -> HTTPRequest { with { $0.accepted = statuses } }

  private func with(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
    var request = self
    change(&request)
    return request
  }
}
