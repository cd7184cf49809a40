public import Foundation

/// A link in the `Link` header of a response. See ``HTTPResponse/links``.
public struct HTTPLink: Sendable, Hashable {
  /// The target, resolved against the URL of the response.
  public let target: URL
  /// The relations of the target to the response, such as `next`, in lower case.
  public let relations: [String]
  /// The parameters, by their names in lower case. If a name occurs several times, the first value counts. A parameter
  /// without a value has an empty one. Values are as the server writes them, without quotes.
  public let parameters: [String: String]
}

extension HTTPLink {
  /// Returns the links in the value of a header (RFC 8288, appendix B.2). The rest after a mistake is left out.
  static func links(in header: String, relativeTo url: URL?) -> [HTTPLink] {
    var scanner = HeaderScanner(header)
    var links: [HTTPLink] = []
    while true {
      scanner.skip { $0.isBlank || $0 == "," }
      guard scanner.take("<"), let target = scanner.takeAll(upTo: ">") else { return links }
      var parameters: [String: String] = [:]
      while true {
        scanner.skip(\.isBlank)
        guard scanner.take(";") else { break }
        scanner.skip(\.isBlank)
        let name = scanner.takeAll { !$0.isBlank && !"=;,".unicodeScalars.contains($0) }.lowercased()
        scanner.skip(\.isBlank)
        var value = ""
        if scanner.take("=") {
          scanner.skip(\.isBlank)
          value = scanner.takeQuoted() ?? scanner.takeAll { !";,".unicodeScalars.contains($0) }.withoutOuterBlanks
        }
        if !name.isEmpty, parameters[name] == nil { parameters[name] = value }
      }
      if let target = URL(string: target.withoutOuterBlanks, relativeTo: url)?.absoluteURL {
        let relations = (parameters["rel"] ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        links.append(HTTPLink(target: target, relations: relations, parameters: parameters))
      }
      // Text before the next comma that belongs to no parameter.
      scanner.skip { $0 != "," }
    }
  }
}

/// Reads the value of a header from its beginning to its end.
private struct HeaderScanner {
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) { rest = text[...].unicodeScalars }

  mutating func skip(_ isSkipped: (Unicode.Scalar) -> Bool) { rest = rest.drop(while: isSkipped) }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  mutating func takeAll(_ isTaken: (Unicode.Scalar) -> Bool) -> String {
    let taken = rest.prefix(while: isTaken)
    rest = rest[taken.endIndex...]
    return String(taken)
  }

  /// Takes everything up to a character, and the character itself. `nil` if the character is missing.
  mutating func takeAll(upTo end: Unicode.Scalar) -> String? {
    let taken = takeAll { $0 != end }
    return take(end) ? taken : nil
  }

  /// Takes a quoted string, and returns its content. The end of the header also ends the string.
  mutating func takeQuoted() -> String? {
    guard take("\"") else { return nil }
    var content = ""
    while let scalar = rest.popFirst(), scalar != "\"" {
      if scalar != "\\" {
        content.unicodeScalars.append(scalar)
      } else if let escaped = rest.popFirst() {
        content.unicodeScalars.append(escaped)
      }
    }
    return content
  }
}

extension Unicode.Scalar {
  /// Whether this is white space in a header.
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
}
