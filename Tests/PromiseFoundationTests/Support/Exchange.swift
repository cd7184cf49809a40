import Foundation
import LoopbackServer
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server, and a session of its own that asks it. Both end with it: nothing is left of one test in another.
final class Exchange: Sendable {
  let server: LoopbackServer
  let session: URLSession

  /// - Parameters:
  ///   - delegate: of the session.
  ///   - connections: how many there may be at once, if more than a session has by itself.
  ///   - handler: of the server.
  init(
    delegate: (any URLSessionDelegate)? = nil, connections: Int = 6, _ handler: @escaping LoopbackServer.Handler
  ) throws {
    server = try LoopbackServer(handler)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = connections
    // A busy machine (ThreadSanitizer) may keep a test waiting for longer than the usual minute.
    configuration.timeoutIntervalForRequest = 600
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  deinit {
    // The connections that are kept open end with the session's, without a thread that waits for them.
    session.finishTasksAndInvalidate()
    server.stop()
  }

  func url(_ path: String = "/") throws -> URL { try #require(URL(string: server.address + path)) }

  func request(_ path: String = "/", method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try url(path))
    request.httpMethod = method
    return request
  }

  /// What the server has been asked for, in order.
  var asked: [String] { server.requests.map { "\($0.method) \($0.target)" } }
}

/// Bytes of which each differs from its neighbours.
func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
  (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
}

/// `who are you?`, compressed: 32 bytes, which become 12.
let gzipped: [UInt8] = [
  31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 43, 207, 200, 87, 72, 44,
  74, 85, 168, 204, 47, 181, 7, 0, 120, 23, 209, 44, 12, 0, 0, 0,
]
