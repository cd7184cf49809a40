import PromiseHTTP

extension HTTPRequest {
  /// The error of a request that cannot be sent, or `nil` if it can be sent.
  var refusal: (any Error)? {
    do {
      _ = try urlRequest()
      return nil
    } catch {
      return error
    }
  }
}

extension URLResponse {
  /// The HTTP status, or 0 if this is not a response of HTTP.
  var status: Int { (self as? HTTPURLResponse)?.statusCode ?? 0 }

  subscript(header: String) -> String? { (self as? HTTPURLResponse)?.value(forHTTPHeaderField: header) }
}
