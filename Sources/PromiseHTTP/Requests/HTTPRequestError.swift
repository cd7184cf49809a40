import PromiseCore
import PromiseFoundation

/// The reason why a request cannot be sent.
///
/// The cases contain URLs as they were written. The description leaves out secrets. See
/// ``/PromiseCore/Diagnostics/showsWholeURLs``.
///
/// A `switch` over it needs a `default`, because a minor version may add cases.
public enum HTTPRequestError: Error, Sendable {
  /// The URL has a name in braces for which there is no value.
  case missingValue(name: String, url: String)
  /// There is a value for a name that does not occur in the URL.
  case unusedValue(name: String, url: String)
  /// The URL has an opening or a closing brace without its counterpart.
  case unbalancedBrace(url: String)
  /// A value makes a segment of the path `.` or `..`, which leads to another path. `%2e` counts as a dot.
  case dotSegment(url: String)
  /// The URL with its values is not valid, or its scheme is neither `http` nor `https`. The description says why.
  case invalidURL(String)
  /// The name of a header is not a token of HTTP, or its value contains a control character such as a line break.
  case invalidHeader(name: String)
  /// The method is not a token of HTTP.
  case invalidMethod(String)
  /// The value of the body could not be encoded as JSON. The error is the encoder's.
  case bodyNotEncodable(any Error)
}

extension HTTPRequestError: CustomStringConvertible {
  /// One line that says what is wrong, with a shortened URL.
  public var description: String { text.inOneLine }

  private var text: String {
    switch self {
    case .missingValue(let name, let url): "no value was given for {\(name)} in the URL \(shorteningURL(url))"
    case .unusedValue(let name, let url):
      "a value was given for \"\(name)\", and there is no {\(name)} in the URL \(shorteningURL(url))"
    case .unbalancedBrace(let url): "a brace without the other in the URL \(shorteningURL(url))"
    case .dotSegment(let url):
      "a value makes a part of the path \".\" or \"..\", which leads elsewhere: \(shorteningURL(url))"
    case .invalidURL(let url): "\(url.reasonAgainstURL): \(shorteningURL(url))"
    case .invalidHeader(let name) where name.isToken: "the value of the header \"\(name)\" has a control character"
    case .invalidHeader(let name): "not the name of a header: \"\(name)\""
    case .invalidMethod(let method): "not a method: \"\(method)\""
    case .bodyNotEncodable(let error): "the body could not be encoded as JSON: \(shorteningURLs(in: "\(error)"))"
    }
  }
}

extension String {
  /// The reason why this text is not the URL of a request. It names no part of the text that may be secret.
  fileprivate var reasonAgainstURL: String {
    if contains(" ") { return "a space in the URL, which must be written as %20" }
    let lowercased = lowercased()
    guard let scheme = ["http:", "https:"].first(where: lowercased.hasPrefix) else { return "not an http or https URL" }
    let punctuation = "-._~:/?#[]@!$&'()*+,;=%"
    guard allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || punctuation.contains($0)) }) else {
      return "a character in the URL must be escaped"
    }
    let escapes = utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
    guard escapes.allSatisfy({ $0.prefix(2).count { Character(Unicode.Scalar($0)).isHexDigit } == 2 }) else {
      return "a % in the URL without two hexadecimal digits after it"
    }
    let rest = dropFirst(scheme.count)
    let authority = rest.hasPrefix("//") ? rest.dropFirst(2).prefix { !"/?#".contains($0) } : ""
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return host.isEmpty || host.hasPrefix(":") ? "no host in the URL" : "not a valid URL"
  }
}
