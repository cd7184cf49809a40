import PromiseHTTP

/// A way to send a request. Tests of common behaviour run for each way.
enum Transfer: String, CaseIterable, Sendable {
  case data
  case uploadOfData
  case uploadOfFile
  case download

  struct Begun: Sendable {
    /// The promise that the session has returned.
    let promise: AnyPromise
    /// A promise for the response alone, derived from `promise`.
    let response: Promise<URLResponse>
  }

  /// Sends the request.
  ///
  /// - Parameter folder: the folder of the uploaded file `out` and of the download target `in`.
  func begin(_ request: URLRequest, in session: URLSession, folder: Folder) throws -> Begun {
    let promise: Promise<(Data, URLResponse)>
    switch self {
    case .data: promise = session.promise(for: request)
    case .uploadOfData: promise = session.promise(for: posting(request), uploading: Data("to send".utf8))
    case .uploadOfFile:
      // The file is written once, because another request may be reading it.
      let file = try folder.names.contains("out") ? folder.file("out") : folder.write(Array("to send".utf8), to: "out")
      promise = session.promise(for: posting(request), uploadingFile: file)
    case .download:
      let download = session.promise(for: request, downloadingTo: folder.file("in"))
      return Begun(promise: download, response: download.map(weight: 0) { $0 })
    }
    return Begun(promise: promise, response: promise.map(weight: 0) { $0.1 })
  }

  private func posting(_ request: URLRequest) -> URLRequest {
    var request = request
    request.httpMethod = "POST"
    return request
  }
}
