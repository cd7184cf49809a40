extension LoopbackServer {
  /// A complete request, as it arrived.
  public struct Request: Sendable {
    public let method: String
    /// The target, as the request line gives it.
    public let target: String
    /// The headers, in the order in which they arrived.
    public let headers: [(name: String, value: String)]
    /// The body, without the framing of chunks.
    public let body: [UInt8]
    /// The number of the connection that brought the request, counted from 0. Requests of one connection have the same
    /// number.
    public let connection: Int

    /// Returns the value of the first header of that name, regardless of case.
    public subscript(name: String) -> String? { headers.value(of: name) }

    /// The body as UTF-8, with invalid bytes replaced.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    /// The path without the query, percent-decoded. A `%` without two hexadecimal digits after it remains.
    public var path: String { percentDecoded(pathAndQuery.prefix { $0 != "?" }) }

    /// The text after the first question mark, as it arrived, or an empty string if there is none.
    public var query: String { String(pathAndQuery.drop { $0 != "?" }.dropFirst()) }

    /// The target without scheme and host. Clients of proxies send the whole address.
    private var pathAndQuery: Substring {
      guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return target[...] }
      return target[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
    }
  }
}

extension [(name: String, value: String)] {
  func value(of name: String) -> String? {
    let name = name.lowercased()
    return first { $0.name.lowercased() == name }?.value
  }

  /// Returns whether a header that is a list of words contains the word.
  func list(_ name: String, has word: String) -> Bool {
    let name = name.lowercased()
    return contains { header in
      guard header.name.lowercased() == name else { return false }
      return header.value.lowercased().split(separator: ",").contains { $0.trimmed == word }
    }
  }
}

extension Substring {
  /// The text without spaces and tabs at both ends.
  var trimmed: Substring {
    guard let last = lastIndex(where: { !$0.isBlank }) else { return "" }
    return self[...last].drop { $0.isBlank }
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

private func percentDecoded(_ text: Substring) -> String {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    if byte == UInt8(ascii: "%"), digits.count == 2 {
      bytes.append(UInt8(digits[0] * 16 + digits[1]))
      rest = rest.dropFirst(2)
    } else {
      bytes.append(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
