import Foundation
import PromiseCore
import PromiseFoundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension HTTPRequest {
  /// Returns this request as a `URLRequest`.
  ///
  /// A body that is an asynchronous sequence is left out.
  ///
  /// - Throws: ``HTTPRequestError`` if the request cannot be sent, or `CocoaError` if a file of its body cannot be
  ///   read.
  public func urlRequest() throws -> URLRequest {
    var request = try urlRequestWithoutFiles()
    switch body {
    case .file(let file, _): request.httpBody = try Data(contentsOf: file)
    case .multipart(let form): request.httpBody = try form.data()
    case .data, .form, .json, .chunks, nil: break
    }
    return request
  }

  /// Returns this request as a `URLRequest` that does not contain a body with files or of chunks, and that body, which
  /// is not read.
  func urlRequestAndUpload() throws -> (URLRequest, Upload?) {
    let request = try urlRequestWithoutFiles()
    switch body {
    case .file(let file, _): return (request, try Upload(contentsOf: file))
    case .multipart(let form) where form.hasFiles: return (request, try Upload(joining: try form.pieces()))
    case .chunks(let file, _): return (request, .chunks(file))
    case .data, .form, .json, .multipart, nil: return (request, nil)
    }
  }

  private func urlRequestWithoutFiles() throws -> URLRequest {
    guard method.rawValue.isToken else { throw HTTPRequestError.invalidMethod(method.rawValue) }
    var request = URLRequest(url: try url())
    request.httpMethod = method.rawValue
    var headers = headers
    if let body {
      let (data, type) = try body.encoded()
      request.httpBody = data
      // Inserted as the first header, so that a header of the request replaces it.
      headers.insert(("Content-Type", type), at: 0)
    }
    for (name, value) in headers {
      guard name.isToken, value.isHeaderValue else {
        throw HTTPRequestError.invalidHeader(name: name)
      }
      // On Linux, Foundation leaves out a header whose value is white space.
      request.setValue(value.withoutOuterBlanks, forHTTPHeaderField: name)
    }
    if let idleTime { request.timeoutInterval = idleTime.asTimeoutInterval }
    return request
  }

  private func url() throws(HTTPRequestError) -> URL {
    let text = try template.filled()
    guard let url = URL(string: text, encodingInvalidCharacters: false)?.withLowercaseScheme,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      parts.scheme == "http" || parts.scheme == "https", parts.host?.isEmpty == false
    else { throw .invalidURL(text) }
    guard !queryItems.isEmpty else { return url }
    let added = PercentEncoding.url.encode(queryItems)
    parts.percentEncodedQuery = parts.percentEncodedQuery.map { $0.isEmpty ? added : "\($0)&\(added)" } ?? added
    guard let url = parts.url else { throw .invalidURL(text) }
    return url
  }
}

extension HTTPRequest: CustomStringConvertible {
  /// One line with the method and the URL. The URL is shortened (see ``/PromiseCore/Diagnostics/showsWholeURLs``).
  /// Headers and body are left out.
  public var description: String {
    "\(method) \(shorteningURL((try? url().absoluteString) ?? template.text))".inOneLine
  }
}

extension Duration {
  /// The duration in seconds, as a `URLRequest` takes it.
  fileprivate var asTimeoutInterval: TimeInterval {
    #if canImport(FoundationNetworking)
      (self / .seconds(1)).inWholeSeconds
    #else
      self / .seconds(1)
    #endif
  }
}

extension String {
  /// Whether this contains no control character, so that it can be the value of a header.
  var isHeaderValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }

  /// Whether this is a token of HTTP (RFC 9110, 5.6.2).
  var isToken: Bool {
    let punctuation = "!#$%&'*+-.^_`|~"
    return !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || punctuation.contains($0)) }
  }
}
