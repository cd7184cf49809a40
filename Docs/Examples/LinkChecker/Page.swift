import Foundation
import PromiseFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A page that could be fetched, as far as the checker needs to know it.
struct Page: Sendable, Equatable {
  /// Where the page came from, if not from where it was requested.
  var url: URL?
  /// The addresses to which it links, in the order in which they stand there. Only HTTP, and without fragments.
  var links: [URL] = []
}

extension Page {
  /// Finds the links in the text of a page. This is no parser, so attributes in comments and scripts are found, too.
  init(html: String, at url: URL) {
    self.url = url
    let attribute = /\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)')/.ignoresCase()
    links = html.matches(of: attribute).compactMap { match in
      let value = match.output.1 ?? match.output.2 ?? ""
      return Self.address(value.replacing("&amp;", with: "&"), on: url)
    }
  }

  /// Returns the address that a text names. It has no fragment and always a path, so that each page has one address.
  ///
  /// - Parameter page: the page on which it stands, if it may be relative.
  static func address(_ text: some StringProtocol, on page: URL? = nil) -> URL? {
    guard
      let url = URL(string: String(text), relativeTo: page),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      ["http", "https"].contains(parts.scheme), parts.host?.isEmpty == false
    else { return nil }
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
