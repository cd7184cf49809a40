/// An encoding of text for a place in which some characters have a meaning.
struct PercentEncoding: Sendable {
  /// The encoding of RFC 3986. It escapes everything but letters, digits and `-._~`, so that the text has no special
  /// meaning anywhere in a URL.
  static let url = PercentEncoding(space: "%20", unescaped: "-._~")
  /// The encoding of HTML forms (WHATWG URL, application/x-www-form-urlencoded).
  static let form = PercentEncoding(space: "+", unescaped: "-._*")

  private let space: String
  private let unescaped: [UInt8]

  private init(space: String, unescaped: String) {
    self.space = space
    self.unescaped = Array(unescaped.utf8)
  }

  func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: " "): encoded += space
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      case _ where unescaped.contains(byte): encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  /// Encodes names and values, as in `a=1&b=2`.
  func encode(_ items: [(name: String, value: String)]) -> String {
    items.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
  }
}
