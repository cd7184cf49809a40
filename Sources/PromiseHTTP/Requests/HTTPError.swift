import Foundation
import PromiseCore
import PromiseFoundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The error for a response of a server that the request does not accept or that cannot be decoded. It has the whole
/// response.
///
/// A `switch` over it needs a `default`, because a minor version may add cases.
public enum HTTPError: Error, Sendable {
  /// The status is not one of those that the request accepts.
  case status(HTTPResponse)
  /// The response has no body to decode.
  case noContent(HTTPResponse)
  /// The content type of the response is not JSON.
  case contentType(HTTPResponse)
  /// The body is not JSON, or cannot be decoded as the type. The second value is the decoder's error.
  case notDecodable(HTTPResponse, any Error)
  /// The response came by another protocol than HTTP.
  case notHTTP(URLResponse)

  /// The response of the server, or `nil` if it is not an HTTP response.
  public var response: HTTPResponse? {
    switch self {
    case .status(let response), .noContent(let response), .contentType(let response), .notDecodable(let response, _):
      response
    case .notHTTP: nil
    }
  }
}

extension HTTPError: CustomStringConvertible {
  /// One line that says what is wrong and where the response came from, with the beginning of the body. URLs are
  /// shortened. See ``/PromiseCore/Diagnostics/showsWholeURLs``.
  public var description: String { shorteningURLs(in: text).inOneLine }

  private var text: String {
    switch self {
    case .status(let response): "status \(response.status) from \(response.urlText)\(response.excerpt)"
    case .noContent(let response): "nothing to decode, status \(response.status), from \(response.urlText)"
    case .contentType(let response):
      "not JSON but \(response.contentType ?? "without a content type"), from \(response.urlText)\(response.excerpt)"
    case .notDecodable(let response, let error):
      "JSON from \(response.urlText) could not be decoded: \(error)\(response.excerpt)"
    case .notHTTP(let response): "no HTTP response from \(response.url?.absoluteString ?? "an unknown place")"
    }
  }
}

extension HTTPResponse {
  fileprivate var excerpt: String {
    guard !body.isEmpty else { return "" }
    // The rest of the body, which may be large, is not decoded.
    let bytes = body.prefix(4_096)
    var text = Substring(decoding: bytes, as: UTF8.self)
    var isCut = bytes.count < body.count
    // The end of the bytes may be in the middle of a character.
    if isCut { text.removeLast() }
    isCut = isCut || text.count > 120
    return ": \(shorteningURLs(in: text.prefix(120), isCut: isCut).inOneLine)\(isCut ? "…" : "")"
  }
}
