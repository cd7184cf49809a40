/// What a request asks a server to do. Any other is written as text: `let purge: HTTPMethod = "PURGE"`.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// As it is sent. Methods are case-sensitive.
  public let rawValue: String

  /// A method with that name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A method with that name.
  public init(stringLiteral name: String) { rawValue = name }

  /// The name.
  public var description: String { rawValue }

  /// Asks for something.
  public static let get: HTTPMethod = "GET"
  /// As `get`, without the body of the answer.
  public static let head: HTTPMethod = "HEAD"
  /// Hands something over to be processed.
  public static let post: HTTPMethod = "POST"
  /// Puts something in a place.
  public static let put: HTTPMethod = "PUT"
  /// Changes a part.
  public static let patch: HTTPMethod = "PATCH"
  /// Takes something away.
  public static let delete: HTTPMethod = "DELETE"
  /// Asks what can be done.
  public static let options: HTTPMethod = "OPTIONS"
}
