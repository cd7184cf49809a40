import Foundation

/// The body of a request.
enum HTTPBody: Sendable {
  case data(Data, type: String)
  case form([(name: String, value: String)])
  case json(@Sendable () throws -> Data)
  case file(URL, type: String)
  case multipart(MultipartForm)
  case chunks(@Sendable () async throws -> TemporaryFile, type: String)

  /// Returns the bytes and their content type. `nil` for the bytes of a body with files, which are not read.
  func encoded() throws -> (data: Data?, type: String) {
    switch self {
    case .file(_, let type), .chunks(_, let type):
      return (nil, type)
    case .multipart(let form):
      return (form.hasFiles ? nil : try form.data(), form.type)
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
