/// The method of an HTTP request. A method without a constant here is written as text, as in
/// `let purge: HTTPMethod = "PURGE"`.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name of the method, as it is sent. Methods are case-sensitive.
  public let rawValue: String

  /// Creates a method with a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a method with a name.
  public init(stringLiteral name: String) { rawValue = name }

  /// The name of the method.
  public var description: String { rawValue }

  /// Requests the content of a resource.
  public static let get: HTTPMethod = "GET"
  /// Requests the response to `get` without its body.
  public static let head: HTTPMethod = "HEAD"
  /// Sends content for the resource to process.
  public static let post: HTTPMethod = "POST"
  /// Creates or replaces a resource.
  public static let put: HTTPMethod = "PUT"
  /// Changes a part of a resource.
  public static let patch: HTTPMethod = "PATCH"
  /// Removes a resource.
  public static let delete: HTTPMethod = "DELETE"
  /// Requests the methods and other options that a resource supports.
  public static let options: HTTPMethod = "OPTIONS"
}
