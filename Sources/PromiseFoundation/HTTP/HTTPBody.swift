import Foundation

/// The body of a request.
enum HTTPBody: Sendable {
  case data(Data, type: String)
  case form([(name: String, value: String)])
  case json(@Sendable () throws -> Data)
  case file(URL, type: String)

  func encoded() throws -> (data: Data, type: String) {
    switch self {
    case .file(let file, let type):
      // Mapped into memory, because the bytes are not read if the session uploads the file itself.
      return (try Data(contentsOf: file, options: .mappedIfSafe), type)
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
