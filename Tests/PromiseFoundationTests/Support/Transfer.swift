import Foundation
import PromiseFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The ways to send a request, for what they have in common.
enum Transfer: String, CaseIterable, Sendable {
  case data
  case uploadOfData
  case uploadOfFile
  case download

  struct Begun: Sendable {
    /// What the session gave.
    let promise: AnyPromise
    /// Derived from it: the response alone.
    let response: Promise<URLResponse>
  }

  /// - Parameter folder: a file `out` is what is uploaded; a file `in` is downloaded to.
  func begin(_ request: URLRequest, in session: URLSession, folder: Folder) throws -> Begun {
    switch self {
    case .data:
      let promise = session.promise(for: request)
      return Begun(promise: promise, response: promise.map(weight: 0) { $0.1 })
    case .uploadOfData:
      let promise = session.promise(for: posting(request), uploading: Data("to send".utf8))
      return Begun(promise: promise, response: promise.map(weight: 0) { $0.1 })
    case .uploadOfFile:
      // Written once, because another request may be reading it.
      let file = try folder.names.contains("out") ? folder.file("out") : folder.write(Array("to send".utf8), to: "out")
      let promise = session.promise(for: posting(request), uploadingFile: file)
      return Begun(promise: promise, response: promise.map(weight: 0) { $0.1 })
    case .download:
      let promise = session.promise(for: request, downloadingTo: folder.file("in"))
      return Begun(promise: promise, response: promise.map(weight: 0) { $0 })
    }
  }

  private func posting(_ request: URLRequest) -> URLRequest {
    var request = request
    request.httpMethod = "POST"
    return request
  }
}
