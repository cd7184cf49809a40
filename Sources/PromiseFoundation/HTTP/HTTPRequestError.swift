import PromiseCore

/// What is wrong with a request that cannot be sent.
///
/// The cases carry URLs as they were written. Their description leaves out secrets: see ``/PromiseCore/Diagnostics/showsWholeURLs``.
public enum HTTPRequestError: Error, Sendable {
  /// The URL has a name in braces for which there is no value.
  case missingValue(name: String, url: String)
  /// There is a value for a name that the URL does not have.
  case unusedValue(name: String, url: String)
  /// The URL has a brace without the other.
  case unbalancedBrace(url: String)
  /// With its values put in a segment of the path is `.` or `..`, which leads elsewhere. `%2e` counts as a dot.
  case dotSegment(url: String)
  /// With its values put in it is no URL, or none of a scheme that this is for.
  case invalidURL(String)
  /// No method, or header, has such a name; or its value has a character that would end the line.
  case invalidHeader(name: String)
  /// The method is no word.
  case invalidMethod(String)
  /// The value that was to be sent as JSON could not be encoded.
  case bodyNotEncodable(any Error)
}

extension HTTPRequestError: CustomStringConvertible {
  /// Says in one line what is wrong, with a shortened URL.
  public var description: String { text.inOneLine }

  private var text: String {
    switch self {
    case .missingValue(let name, let url): "no value was given for {\(name)} in the URL \(shorteningURL(url))"
    case .unusedValue(let name, let url):
      "a value was given for \"\(name)\", and there is no {\(name)} in the URL \(shorteningURL(url))"
    case .unbalancedBrace(let url): "a brace without the other in the URL \(shorteningURL(url))"
    case .dotSegment(let url):
      "a value makes a part of the path \".\" or \"..\", which leads elsewhere: \(shorteningURL(url))"
    case .invalidURL(let url): "not an http or https URL: \(shorteningURL(url))"
    case .invalidHeader(let name): "the name or the value of the header \"\(name)\" has characters that none may have"
    case .invalidMethod(let method): "not a method: \"\(method)\""
    case .bodyNotEncodable(let error): "the body could not be encoded as JSON: \(shorteningURLs(in: "\(error)"))"
    }
  }
}

extension String {
  /// With spaces for line breaks, of which several are one, and none at the end: what is wrong may be just that there are some. Not cut,
  /// as `oneLine` of PromiseCore does, which keeps their number.
  var inOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
