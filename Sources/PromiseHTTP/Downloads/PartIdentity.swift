import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Identifies the body to which the part of a download belongs. It is saved beside the part.
struct PartIdentity: Codable, Equatable, Sendable {
  /// The URL of the request, without user name, password and fragment.
  let url: String
  /// A strong `ETag`, or a `Last-Modified` date that identifies a version of the body.
  let validator: String
  /// The number of bytes of the whole body, if the server has announced it.
  let length: Int64?

  /// - Returns: `nil` if the response does not identify its body, so that no other response could continue it.
  init?(of request: URLRequest, answeredBy response: HTTPURLResponse) {
    guard request.httpMethod == "GET", let url = request.url?.withoutCredentials,
      let validator = response.strongValidator, !response.isEncoded
    else { return nil }
    self.url = url
    self.validator = validator
    length = response.expectedContentLength >= 0 ? response.expectedContentLength : nil
  }

  /// Reads an identity. The result is `nil` if there is none, or if another user has written it.
  init?(savedAt file: URL) {
    guard let size = file.sizeOfOwnFile, size < 1 << 20, let data = try? Data(contentsOf: file),
      let identity = try? JSONDecoder().decode(PartIdentity.self, from: data)
    else { return nil }
    self = identity
  }

  /// Whether a request is for the body of which this is a part.
  func fits(_ request: URLRequest) -> Bool {
    request.httpMethod == "GET" && request.url?.withoutCredentials == url
  }

  /// Whether a response to a request for the rest names another version of the body.
  func contradicts(_ response: HTTPURLResponse, length other: Int64?) -> Bool {
    if let length, let other, length != other { return true }
    if response.isEncoded { return true }
    // The server need not repeat the validator.
    let isTag = validator.hasPrefix("\"")
    guard let repeated = response.value(ofHeader: isTag ? "ETag" : "Last-Modified") else { return false }
    return repeated != validator
  }
}

extension URL {
  fileprivate var withoutCredentials: String? {
    var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
    parts?.user = nil
    parts?.password = nil
    parts?.fragment = nil
    return parts?.string
  }
}

extension HTTPURLResponse {
  /// A value that identifies one version of the body, byte by byte (RFC 9110, 8.8).
  ///
  /// It is a strong `ETag`. If the response has no `ETag` at all, it is the `Last-Modified` date, provided that the
  /// response was made at least a second later. Otherwise the body may have changed twice within that second.
  fileprivate var strongValidator: String? {
    if let tag = value(ofHeader: "ETag") {
      return tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 1 ? tag : nil
    }
    guard let modified = value(ofHeader: "Last-Modified"), let change = Date(http: modified),
      let date = value(ofHeader: "Date").flatMap({ Date(http: $0) }), date.timeIntervalSince(change) >= 1
    else { return nil }
    return modified
  }

  /// Whether the body is compressed on its way, so that its bytes are not those that the session delivers.
  fileprivate var isEncoded: Bool {
    guard let encoding = value(ofHeader: "Content-Encoding") else { return false }
    return !encoding.isEmpty && encoding.lowercased() != "identity"
  }
}
