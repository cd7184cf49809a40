import Foundation

/// The body of a request.
enum HTTPBody: Sendable {
  case data(Data, type: String)
  case form([(name: String, value: String)])
  case json(@Sendable () throws -> Data)
  case file(URL, type: String)

  /// Returns the bytes and their content type. `nil` for the bytes of a file, which is not read.
  func encoded() throws -> (data: Data?, type: String) {
    switch self {
    case .file(_, let type):
      return (nil, type)
    case .data(let data, let type):
      return (data, type)
    case .form(let items):
      return (Data(PercentEncoding.form.encode(items).utf8), "application/x-www-form-urlencoded")
    case .json(let encode):
      do {
        return (try encode(), "application/json")
      } catch {
        throw HTTPRequestError.bodyNotEncodable(error)
      }
    }
  }
}
