/// A URL with names in braces, and what is to be put in their places.
struct URLTemplate: Sendable {
  let text: String
  let values: [(name: String, value: String)]

  /// The URL, with each value escaped.
  func filled() throws(HTTPRequestError) -> String {
    var filled = ""
    // The text with a harmless value in each place.
    var harmless = ""
    var used: Set<String> = []
    var rest = text[...]
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
        throw .unbalancedBrace(url: text)
      }
      let name = String(rest[rest.index(after: brace)..<end])
      guard let value = values.last(where: { $0.name == name })?.value else {
        throw .missingValue(name: name, url: text)
      }
      used.insert(name)
      filled += rest[..<brace] + PercentEncoding.url.encode(value)
      harmless += rest[..<brace] + "x"
      rest = rest[rest.index(after: end)...]
    }
    if let unused = values.first(where: { !used.contains($0.name) }) {
      throw .unusedValue(name: unused.name, url: text)
    }
    filled += rest
    harmless += rest
    // The template may have dot segments of its own. A value must not make another.
    guard filled.dotSegmentCount == harmless.dotSegmentCount else { throw .dotSegment(url: filled) }
    return filled
  }
}

extension String {
  /// How many segments of the path are `.` or `..`. An escaped dot counts as a dot: servers and libraries unescape it before they
  /// resolve a path.
  fileprivate var dotSegmentCount: Int {
    prefix { $0 != "?" && $0 != "#" }.split(separator: "/").count { segment in
      let dots = segment.lowercased().replacing("%2e", with: ".")
      return dots == "." || dots == ".."
    }
  }
}
