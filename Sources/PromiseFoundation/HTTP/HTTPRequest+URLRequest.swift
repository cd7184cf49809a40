import Foundation
import PromiseCore

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension HTTPRequest {
  /// The same for `URLSession`.
  ///
  /// - Throws: ``HTTPRequestError``, if it cannot be sent.
  public func urlRequest() throws -> URLRequest {
    guard method.rawValue.isToken else { throw HTTPRequestError.invalidMethod(method.rawValue) }
    var request = URLRequest(url: try url())
    request.httpMethod = method.rawValue
    var headers = headers
    if let body {
      let (data, type) = try body.encoded()
      request.httpBody = data
      // First, so that the request may say otherwise.
      headers.insert(("Content-Type", type), at: 0)
    }
    for (name, value) in headers {
      guard name.isToken, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        throw HTTPRequestError.invalidHeader(name: name)
      }
      request.setValue(value, forHTTPHeaderField: name)
    }
    if let idleTime { request.timeoutInterval = idleTime.asTimeoutInterval }
    return request
  }

  private func url() throws(HTTPRequestError) -> URL {
    let text = try template.filled()
    guard let url = URL(string: text, encodingInvalidCharacters: false),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https", parts.host?.isEmpty == false
    else { throw .invalidURL(text) }
    guard !queryItems.isEmpty else { return url }
    let added = PercentEncoding.url.encode(queryItems)
    parts.percentEncodedQuery = parts.percentEncodedQuery.map { $0.isEmpty ? added : "\($0)&\(added)" } ?? added
    guard let url = parts.url else { throw .invalidURL(text) }
    return url
  }
}

extension HTTPRequest: CustomStringConvertible {
  /// Says in one line the method and the URL, shortened: see ``/PromiseCore/Diagnostics/showsWholeURLs``. Headers and body are left out.
  public var description: String {
    "\(method) \(shorteningURL((try? url().absoluteString) ?? template.text))".inOneLine
  }
}

extension Duration {
  /// On Linux (Swift 6.3.1) a session takes whole seconds and leaves out the rest, takes 0 for no time at all, and traps if it is
  /// told to wait for some hundred million years. A hundred are for ever.
  fileprivate var asTimeoutInterval: Double {
    #if canImport(FoundationNetworking)
      min(max((self / .seconds(1)).rounded(.up), 1), 100 * 366 * 86_400)
    #else
      self / .seconds(1)
    #endif
  }
}

extension String {
  /// A word, in the sense of HTTP (RFC 9110, 5.6.2).
  fileprivate var isToken: Bool {
    let marks = "!#$%&'*+-.^_`|~"
    return !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
  }
}
