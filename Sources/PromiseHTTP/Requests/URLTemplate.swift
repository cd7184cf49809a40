/// A URL with names in braces, and the values that replace them.
struct URLTemplate: Sendable {
  let text: String
  let values: [(name: String, value: String)]

  /// Returns the URL with each name replaced by its value, which is escaped.
  func filled() throws(HTTPRequestError) -> String {
    var filled = ""
    // The URL with a harmless value for each name.
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
    // The template may have dot segments of its own. A value must not add one.
    guard filled.dotSegmentCount == harmless.dotSegmentCount else { throw .dotSegment(url: filled) }
    return filled
  }
}

extension String {
  /// The number of segments of the path that are `.` or `..`. An escaped dot counts as a dot, because servers and
  /// libraries unescape it before they resolve a path.
  fileprivate var dotSegmentCount: Int {
    prefix { $0 != "?" && $0 != "#" }.split(separator: "/").count { segment in
      let dots = segment.lowercased().replacing("%2e", with: ".")
      return dots == "." || dots == ".."
    }
  }
}
