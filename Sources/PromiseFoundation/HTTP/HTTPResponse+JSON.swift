public import Foundation

extension HTTPResponse {
  /// The body, which must be JSON and say so (reference row L10).
  ///
  /// - Parameters:
  ///   - type: what to make of it.
  ///   - decoder: how.
  /// - Throws: ``HTTPError``, with this response: ``HTTPError/noContent(_:)``, ``HTTPError/contentType(_:)`` if it says to be
  ///   neither `application/json` nor a type that ends with `+json`, ``HTTPError/notDecodable(_:_:)``.
  public func decoded<Value: Decodable>(
    as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    guard !body.isEmpty else { throw HTTPError.noContent(self) }
    guard isJSON else { throw HTTPError.contentType(self) }
    do {
      return try decoder.decode(type, from: body)
    } catch {
      throw HTTPError.notDecodable(self, error)
    }
  }

  /// As ``decoded(as:decoder:)``, and `nil` if there is no body, as with status 204.
  public func decodedIfPresent<Value: Decodable>(
    as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value? {
    body.isEmpty ? nil : try decoded(as: type, decoder: decoder)
  }

  private var isJSON: Bool {
    guard let contentType else { return false }
    return contentType == "application/json" || contentType.hasPrefix("application/") && contentType.hasSuffix("+json")
  }
}
