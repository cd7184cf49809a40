public import Foundation
import PromiseCore

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// What a server answered.
public struct HTTPResponse: Sendable {
  /// The head of the answer, as the session gave it.
  public let head: HTTPURLResponse
  /// The body; empty, if there was none, or if it went into a file.
  public let body: Data

  init(_ response: URLResponse, body: Data) throws(HTTPError) {
    guard let head = response as? HTTPURLResponse else { throw .notHTTP(response) }
    self.head = head
    self.body = body
  }

  /// The status code.
  public var status: Int { head.statusCode }

  /// Where the answer came from, after redirections.
  public var url: URL? { head.url }

  /// The value of a header, whose name may be written in any case.
  public subscript(header: String) -> String? { head.value(forHTTPHeaderField: header) }

  /// The body as text: as UTF-8, with replacements for what is not.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// `text/html`: the content type without its parameters, in lower case.
  public var contentType: String? {
    self["Content-Type"].map { type in
      type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
  }
}

extension HTTPResponse: CustomStringConvertible {
  /// Says in one line the status, where the answer came from and how long its body is. The URL is shortened: see
  /// ``/PromiseCore/Diagnostics/showsWholeURLs``.
  public var description: String { "status \(status) from \(shorteningURLs(in: urlText)), \(body.count) bytes" }

  var urlText: String { url?.absoluteString ?? "an unknown place" }
}
