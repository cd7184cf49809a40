/// A request line and its headers.
struct RequestHead {
  /// The length of the body.
  enum Framing: Equatable {
    case length(Int)
    case chunked
  }

  let method: String
  let target: String
  let headers: [(name: String, value: String)]
  let keepsAlive: Bool

  init(_ lines: [String]) throws(Refusal) {
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[0].isToken, !words[1].isEmpty else { throw .malformed }
    guard words[2].hasPrefix("HTTP/") else { throw .malformed }
    guard ["HTTP/1.1", "HTTP/1.0"].contains(words[2]) else { throw .status(505) }
    method = String(words[0])
    target = String(words[1])
    var headers: [(name: String, value: String)] = []
    for line in lines.dropFirst() {
      // A line that starts with a blank once continued the line before it. Such a line has no token here.
      let name = line.prefix { $0 != ":" }
      guard name.isToken, name.endIndex != line.endIndex else { throw .malformed }
      headers.append((String(name), String(line[name.endIndex...].dropFirst().trimmed)))
    }
    let isCurrent = words[2] == "HTTP/1.1"
    if isCurrent, headers.count(where: { $0.name.lowercased() == "host" }) != 1 { throw .malformed }
    self.headers = headers
    keepsAlive = isCurrent && !headers.list("Connection", has: "close")
  }

  var framing: Framing {
    get throws(Refusal) {
      let lengths = Set(headers.filter { $0.name.lowercased() == "content-length" }.map { $0.value })
      guard let coding = headers.value(of: "Transfer-Encoding") else {
        guard let length = lengths.first else { return .length(0) }
        guard lengths.count == 1, let length = Int(digits: length[...], radix: 10) else { throw .malformed }
        return .length(length)
      }
      // A request with two lengths can be smuggled past a proxy that reads the other length.
      guard lengths.isEmpty else { throw .malformed }
      guard coding.lowercased() == "chunked" else { throw .status(501) }
      return .chunked
    }
  }
}

extension Int {
  /// Parses digits. Unlike `init(_:radix:)`, it accepts no sign.
  init?(digits: Substring, radix: Int) {
    guard digits.first?.isHexDigit == true else { return nil }
    self.init(digits, radix: radix)
  }
}

extension Substring {
  /// Whether the text may be a method or the name of a header.
  fileprivate var isToken: Bool {
    !isEmpty && utf8.allSatisfy { $0 > 32 && $0 < 127 && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
  }
}
