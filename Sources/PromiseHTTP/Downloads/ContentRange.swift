/// The header `Content-Range` of a response that has a part of a body (RFC 9110, 14.4), as in `bytes 100-999/1000`.
struct ContentRange: Equatable {
  let first: Int64
  let last: Int64
  /// The number of bytes of the whole body. `nil` if the server does not know it.
  let length: Int64?

  /// - Returns: `nil` if the text is no range of bytes.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let range = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard range.count == 2 else { return nil }
    let ends = range[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
      return nil
    }
    self.first = first
    self.last = last
    if range[1] == "*" {
      length = nil
    } else {
      guard let length = Self.number(range[1]), last < length else { return nil }
      self.length = length
    }
  }

  /// The number of bytes in the range.
  var count: Int64 { last - first + 1 }

  private static func number(_ text: Substring) -> Int64? {
    text.utf8.allSatisfy(\.isDigit) ? Int64(text) : nil
  }
}
