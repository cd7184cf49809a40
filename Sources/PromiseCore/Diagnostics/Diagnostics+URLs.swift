import Synchronization

extension Diagnostics {
  /// Whether reports and descriptions contain URLs in full.
  ///
  /// The default is `false`, because user names, passwords, queries and fragments are often secret, and the texts of
  /// errors are written to logs. Then `https://user:password@host/path?key=1` becomes `https://host/path?…` in reports,
  /// in `debugDescription` and in the descriptions of the library's own errors. The values in the errors are not
  /// changed, and neither are the descriptions of Foundation's errors.
  ///
  /// May be changed at any time, from any thread. The change applies to texts that are made afterwards.
  public static var showsWholeURLs: Bool {
    get { showsURLs.load(ordering: .relaxed) }
    set { showsURLs.store(newValue, ordering: .relaxed) }
  }

  /// Relaxed, because it publishes nothing.
  private static let showsURLs = Atomic(false)
}

/// Returns a text in which all URLs are shortened, unless ``Diagnostics/showsWholeURLs`` is on.
///
/// - Parameter isCut: whether the text is the beginning of a longer text. The last URL may then be incomplete, so that
///   its user information cannot be recognised.
/// - Complexity: O(*n*), where *n* is the length of the text.
package func shorteningURLs(in text: Substring, isCut: Bool = false) -> String {
  guard !Diagnostics.showsWholeURLs else { return String(text) }
  var shortened = ""
  var rest = text
  while let separator = rest.firstRange(of: "://") {
    shortened += rest[..<separator.upperBound]
    rest = rest[separator.upperBound...]
    var url = rest.prefix { !$0.endsURL }
    let isOpen = isCut && url.endIndex == rest.endIndex
    // A comma or a bracket after a URL belongs to the sentence.
    while !isOpen, let last = url.last, ",.;:!)]}>'".contains(last) { url.removeLast() }
    rest = rest[url.endIndex...]
    let parts = URLParts(url)
    let isUnclear = parts.hasInvalidPort && (isOpen || parts.rest.contains("@"))
    shortened += isUnclear || isOpen && parts.rest.isEmpty ? "…" : parts.shortened
  }
  return shortened + rest
}

/// Returns a text in which all URLs are shortened, unless ``Diagnostics/showsWholeURLs`` is on.
package func shorteningURLs(in text: String) -> String { shorteningURLs(in: text[...]) }

/// Returns a text that should be a URL, shortened in the same way. If it is not a URL, the parts that may
/// contain a secret are replaced with "…".
package func shorteningURL(_ text: String) -> String {
  guard !Diagnostics.showsWholeURLs else { return text }
  var scheme = text.prefix { $0.isLetter || $0.isNumber || "+-.".contains($0) }
  scheme = text[scheme.endIndex...].hasPrefix("://") ? text[..<text.index(scheme.endIndex, offsetBy: 3)] : ""
  let url = text[scheme.endIndex...]
  let parts = URLParts(url)
  // In a text that is not a URL, user information may end at any `@`.
  let isUnclear = parts.rest.contains("@") || url.contains("@") && url.contains { $0.endsURL }
  return scheme + (isUnclear ? "…" : parts.shortened)
}

/// The part of a URL after its scheme.
private struct URLParts {
  let host: Substring
  /// The part from the first slash, question mark or number sign.
  let rest: Substring

  init(_ url: Substring) {
    let authority = url.prefix { !"/?#".contains($0) }
    host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    rest = url[authority.endIndex...]
  }

  /// The URL without user information, query and fragment.
  var shortened: String {
    let path = rest.prefix { !"?#".contains($0) }
    return host + path + (rest[path.endIndex...].first.map { "\($0)…" } ?? "")
  }

  /// Whether the text after the colon of the host is not a port. Then the host may be a user's name, and the port the
  /// beginning of a password that contains a slash.
  var hasInvalidPort: Bool {
    guard let colon = host.lastIndex(of: ":"), host.last != "]" else { return false }
    return !host[host.index(after: colon)...].allSatisfy(\.isNumber)
  }
}

extension Character {
  /// Whether the character is not part of a URL, but likely to follow one.
  fileprivate var endsURL: Bool { isWhitespace || "\"<>`".contains(self) }
}
