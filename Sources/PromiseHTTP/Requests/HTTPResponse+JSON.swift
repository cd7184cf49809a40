public import Foundation

extension HTTPResponse {
  /// Returns the body, decoded from JSON. The content type of the response must be `application/json` or another
  /// subtype of `application` that ends with `+json`.
  ///
  /// - Parameters:
  ///   - type: the type of the decoded value.
  ///   - decoder: the decoder.
  /// - Throws: ``HTTPError`` with this response. It is ``HTTPError/noContent(_:)`` without a body,
  ///   ``HTTPError/contentType(_:)`` for any other content type, and ``HTTPError/notDecodable(_:_:)`` if the decoder
  ///   fails.
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

  /// Returns the body decoded as ``decoded(as:decoder:)`` does, or `nil` if there is no body, as with status 204.
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
