public import Foundation
import PromiseCore

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The response of a server.
public struct HTTPResponse: Sendable {
  /// The head of the response, as the session delivered it.
  public let head: HTTPURLResponse
  /// The body. It is empty if the response has none, or if the body was written to a file.
  public let body: Data

  init(_ response: URLResponse, body: Data) throws(HTTPError) {
    guard let head = response as? HTTPURLResponse else { throw .notHTTP(response) }
    self.head = head
    self.body = body
  }

  /// The status code.
  public var status: Int { head.statusCode }

  /// The URL of the response, after redirections.
  public var url: URL? { head.url }

  /// The value of a header without the white space around it, or `nil` if there is none. The case of its name does not
  /// matter.
  ///
  /// The values of several lines are joined with commas. If the lines differ in the case of the name, Foundation on
  /// Linux does not keep their order. Of a well-known header, it keeps only the lines under one spelling.
  public subscript(header: String) -> String? { head.value(ofHeader: header) }

  /// The body as text. Bytes that are not UTF-8 are replaced by U+FFFD.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// The content type without its parameters, in lower case, as in `text/html`.
  public var contentType: String? {
    self["Content-Type"].map { type in
      type.prefix { $0 != ";" }.withoutOuterBlanks.lowercased()
    }
  }
}

extension HTTPResponse: CustomStringConvertible {
  /// One line with the status, the URL and the size of the body. The URL is shortened. See
  /// ``/PromiseCore/Diagnostics/showsWholeURLs``.
  public var description: String { "status \(status) from \(shorteningURLs(in: urlText)), \(body.count) bytes" }

  var urlText: String { url?.absoluteString ?? "an unknown place" }
}
