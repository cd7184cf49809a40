import Synchronization

extension Diagnostics {
  /// Whether texts show URLs in full. Off by default: user names, passwords, queries and fragments often are secrets, and texts of errors
  /// end in logs.
  ///
  /// While it is off, `https://user:password@host/path?key=1` is written `https://host/path?…` in reports, in `debugDescription` and in
  /// the descriptions of the library's own errors. What errors carry is not changed, and neither is what Foundation's errors print
  /// themselves.
  ///
  /// May be changed at any time, from any thread, and applies to texts that are made from then on.
  public static var showsWholeURLs: Bool {
    get { showsURLs.load(ordering: .relaxed) }
    set { showsURLs.store(newValue, ordering: .relaxed) }
  }

  /// Relaxed: it publishes nothing.
  private static let showsURLs = Atomic(false)
}

/// Returns a text with all URLs in it shortened, unless ``Diagnostics/showsWholeURLs`` is on.
///
/// - Parameter isCut: the text is the beginning of a longer one. The last URL may go on, so that its user information is not known.
/// - Complexity: O(*n*) in the length of the text.
package func shorteningURLs(in text: some StringProtocol, isCut: Bool = false) -> String {
  guard !Diagnostics.showsWholeURLs else { return String(text) }
  var shortened = ""
  var rest = Substring(text)
  while let mark = rest.firstRange(of: "://") {
    shortened += rest[..<mark.upperBound]
    rest = rest[mark.upperBound...]
    var url = rest.prefix { !$0.endsURL }
    let isOpen = isCut && url.endIndex == rest.endIndex
    // A comma or a bracket behind a URL belongs to the sentence.
    while !isOpen, let last = url.last, ",.;:!)]}>'".contains(last) { url.removeLast() }
    rest = rest[url.endIndex...]
    let parts = URLParts(url)
    let isUnclear = parts.hasPortThatIsNone && (isOpen || parts.rest.contains("@"))
    shortened += isUnclear || isOpen && parts.rest.isEmpty ? "…" : parts.shortened
  }
  return shortened + rest
}

/// Returns a text that was to be a URL, shortened in the same way. If it is none, as little of it is shown as may be free of secrets.
package func shorteningURL(_ text: String) -> String {
  guard !Diagnostics.showsWholeURLs else { return text }
  var scheme = text.prefix { $0.isLetter || $0.isNumber || "+-.".contains($0) }
  scheme = text[scheme.endIndex...].hasPrefix("://") ? text[..<text.index(scheme.endIndex, offsetBy: 3)] : ""
  let url = text[scheme.endIndex...]
  let parts = URLParts(url)
  // User information may end at any `@` of a text that is no URL.
  let isUnclear = parts.rest.contains("@") || url.contains("@") && url.contains { $0.endsURL }
  return scheme + (isUnclear ? "…" : parts.shortened)
}

/// What follows the scheme of a URL.
private struct URLParts {
  let host: Substring
  /// From the first slash, question mark or number sign on.
  let rest: Substring

  init(_ url: Substring) {
    let authority = url.prefix { !"/?#".contains($0) }
    host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    rest = url[authority.endIndex...]
  }

  /// Without user information, query and fragment.
  var shortened: String {
    let path = rest.prefix { !"?#".contains($0) }
    return host + path + (rest[path.endIndex...].first.map { "\($0)…" } ?? "")
  }

  /// The host may be a user's name, and the port the beginning of a password with a slash in it.
  var hasPortThatIsNone: Bool {
    guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else { return false }
    return !host[host.index(after: colon)...].allSatisfy(\.isNumber)
  }
}

extension Character {
  /// Not in a URL, but likely behind one.
  fileprivate var endsURL: Bool { isWhitespace || "\"<>`".contains(self) }
}
