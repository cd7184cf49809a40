import Foundation
import PromiseHTTP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A page that was fetched, with the parts that the checker needs.
struct Page: Sendable, Equatable {
  /// The address from which the page came, which may differ from the requested one. `nil` means the requested one.
  var url: URL?
  /// The addresses of its links, in the order of the text. All of them use HTTP or HTTPS, and none has a fragment.
  var links: [URL] = []
}

extension Page {
  /// Finds the links in the text of a page. It does not parse HTML, so it finds attributes in comments and scripts,
  /// too.
  init(html: String, at url: URL) {
    self.url = Self.address(url.absoluteString)
    let attribute = /\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')/.ignoresCase()
    links = html.matches(of: attribute).compactMap { match in
      let value = match.output.1 ?? match.output.2 ?? ""
      return Self.address(value.replacing("&amp;", with: "&"), on: url)
    }
  }

  /// Returns the address that a text names. It has no fragment, always a path, and no capital letters in its host, so
  /// that each page has one address.
  ///
  /// - Parameter page: the page that contains the text. It completes a relative address.
  static func address(_ text: some StringProtocol, on page: URL? = nil) -> URL? {
    guard
      let url = URL(string: String(text), relativeTo: page),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = parts.encodedHost?.lowercased(), !host.isEmpty
    else { return nil }
    parts.scheme = scheme
    parts.encodedHost = host
    parts.fragment = nil
    if parts.path.isEmpty { parts.path = "/" }
    return parts.url
  }
}

extension URLSession {
  /// Fetches a page with its links. Cancelling the promise stops the request.
  func page(at url: URL) -> Promise<Page> {
    promise(for: HTTPRequest.get(url.absoluteString).maximumBodySize(4_000_000))
      .map { response in
        guard response.contentType == "text/html" else { return Page() }
        return Page(html: response.text, at: response.url ?? url)
      }
      // The link works, and leads to something that is too large for a page.
      .recover(from: TransferError.self) { _ in Page() }
      .mapError { error in
        if let status = (error as? HTTPError)?.response?.status { Problem.status(status) } else { error }
      }
  }
}
