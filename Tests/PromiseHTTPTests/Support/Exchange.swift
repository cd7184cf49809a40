import PromiseHTTP
import Testing

/// A server, a session that sends requests to it, and a folder for files. All of them end when the exchange is
/// deallocated, so that no test affects another.
final class Exchange: Sendable {
  let server: LoopbackServer
  let session: URLSession
  let folder: Folder

  /// - Parameters:
  ///   - delegate: the delegate of the session.
  ///   - queue: the queue on which the session calls its delegate, or `nil` for one that the session makes.
  ///   - connections: the maximum number of connections at the same time, if it differs from the default of a session.
  ///   - headers: additional headers of the session.
  ///   - handler: the handler of the server.
  init(
    delegate: (any URLSessionDelegate)? = nil, on queue: OperationQueue? = nil, connections: Int = 6,
    headers: [String: String]? = nil, _ handler: @escaping LoopbackServer.Handler
  ) throws {
    server = try LoopbackServer(handler)
    folder = try Folder()
    let configuration = URLSessionConfiguration.patient
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.httpAdditionalHeaders = headers
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
  }

  deinit {
    // Invalidating the session ends its idle connections, and no thread blocks for that.
    session.finishTasksAndInvalidate()
    server.stop()
  }

  func url(_ path: String = "/") throws -> URL { try #require(URL(string: server.address + path)) }

  func request(_ path: String = "/", method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try url(path))
    request.httpMethod = method
    return request
  }

  /// Sends a request. The folder has the uploaded file `out` and the download target `in`.
  func begin(_ transfer: Transfer, _ path: String = "/") throws -> Transfer.Begun {
    try transfer.begin(request(path), in: session, folder: folder)
  }

  /// Uploads bytes from memory, or from the file `out` of the folder.
  func upload(_ bytes: [UInt8], fromFile: Bool, method: String = "POST") throws -> Promise<(Data, URLResponse)> {
    let request = try request(method: method)
    if !fromFile { return session.promise(for: request, uploading: Data(bytes)) }
    return session.promise(for: request, uploadingFile: try folder.write(bytes, to: "out"))
  }

  /// Downloads the response to a file of the folder.
  func download(_ path: String = "/", to name: String = "in") throws -> Promise<URLResponse> {
    session.promise(for: try request(path), downloadingTo: folder.file(name))
  }

  func download(_ request: HTTPRequest, to name: String = "in") -> Promise<HTTPResponse> {
    session.promise(for: request, downloadingTo: folder.file(name))
  }

  /// The methods and targets of the requests that the server has received, in order.
  var asked: [String] { server.requests.map { "\($0.method) \($0.target)" } }
}

extension URLSessionConfiguration {
  /// A configuration whose requests may receive nothing for half an hour. On a busy machine (ThreadSanitizer), a request
  /// may wait longer than the usual minute.
  static var patient: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 1_800
    return configuration
  }
}

/// Sends a request to a server that answers with 204, and returns the request as it arrives.
///
/// - Parameter make: makes the request for the address of the server.
func received(_ make: (String) -> HTTPRequest) async throws -> Request {
  let exchange = try Exchange { _ in .empty() }
  _ = try await exchange.session.promise(for: make(exchange.server.address)).value
  return try #require(exchange.server.requests.first)
}

extension Response {
  /// Returns a refusal that asks for a user and a password. The encoded credential of ``AskedDelegate`` is `ada:pw`.
  static func challenge(
    _ pieces: [Piece] = [], framing: Framing = .automatic, headers: [(String, String)] = []
  ) -> Response {
    let headers = [("WWW-Authenticate", "Basic realm=\"r\"")] + headers
    return Response(status: 401, headers: headers, pieces: pieces, framing: framing)
  }
}

/// The text `who are you?` after compression with gzip. Decompression turns these 32 bytes into 12.
let gzipped: [UInt8] = [
  31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 43, 207, 200, 87, 72, 44,
  74, 85, 168, 204, 47, 181, 7, 0, 120, 23, 209, 44, 12, 0, 0, 0,
]
