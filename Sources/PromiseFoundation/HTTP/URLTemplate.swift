/// A URL with names in braces, and what is to be put in their places.
struct URLTemplate: Sendable {
  let text: String
  let values: [(name: String, value: String)]

  /// The URL, with each value escaped.
  func filled() throws(HTTPRequestError) -> String {
    var filled = ""
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
      rest = rest[rest.index(after: end)...]
    }
    if let unused = values.first(where: { !used.contains($0.name) }) {
      throw .unusedValue(name: unused.name, url: text)
    }
    filled += rest
    // Servers and libraries take them for what they mean in a path, escaped or not.
    guard filled.countOfDotSegments == text.countOfDotSegments else { throw .dotSegment(url: filled) }
    return filled
  }
}

extension String {
  /// How many parts of the path are `.` or `..`.
  fileprivate var countOfDotSegments: Int {
    prefix { $0 != "?" && $0 != "#" }.split(separator: "/").count { $0 == "." || $0 == ".." }
  }
}
