import PromiseHTTP

struct Note: Codable, Sendable {
  let title: String

  static func list(from response: HTTPResponse) throws -> [Note] { try response.decoded() }
}
