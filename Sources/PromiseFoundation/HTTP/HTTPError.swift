import Foundation
import PromiseCore

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A server answered, but not with what was wanted. With the whole response, which may say why.
public enum HTTPError: Error, Sendable {
  /// The status is not one of those that the request accepts.
  case status(HTTPResponse)
  /// There is nothing to decode.
  case noContent(HTTPResponse)
  /// The response does not say that it is JSON.
  case contentType(HTTPResponse)
  /// The response says that it is JSON, but is not, or is not what it was to be decoded as. With the decoder's error.
  case notDecodable(HTTPResponse, any Error)
  /// The answer came by another protocol.
  case notHTTP(URLResponse)

  /// What the server answered; `nil`: not by HTTP.
  public var response: HTTPResponse? {
    switch self {
    case .status(let response), .noContent(let response), .contentType(let response), .notDecodable(let response, _):
      response
    case .notHTTP: nil
    }
  }
}

extension HTTPError: CustomStringConvertible {
  /// Says in one line what is wrong and where the answer came from, with the beginning of the body. URLs are shortened: see
  /// ``/PromiseCore/Diagnostics/showsWholeURLs``.
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
    let (start, isCut) = (text.prefix(120), text.count > 120)
    return ": \(shorteningURLs(in: start, isCut: isCut).inOneLine)\(isCut ? "…" : "")"
  }
}
