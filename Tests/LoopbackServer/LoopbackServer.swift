/// A small HTTP/1.1 server on 127.0.0.1, for tests and examples. It has real sockets, and a thread for each connection.
///
///     let server = try LoopbackServer { request in
///       request.path == "/hello" ? .text("Hello!") : .notFound
///     }
///     fetch(server.address + "/hello")
///
/// The server stops when it is deallocated. So a handler may refer to its own server only weakly.
public final class LoopbackServer: Sendable {
  public typealias Handler = @Sendable (Request) -> Response

  /// State that the threads share. The threads do not retain the server, because it would then never be deallocated.
  private let acceptor: Acceptor

  /// Starts the server at a free port. The handler is called on the thread of the connection, once for each request,
  /// and may block.
  ///
  /// A head of more than `headLimit` bytes is answered with 431, and a body of more than `bodyLimit` bytes with 413.
  /// Neither reaches the handler.
  ///
  /// - Parameter recordsRequests: whether ``requests`` grows. A server that runs for an hour keeps none.
  public init(
    headLimit: Int = 65_536, bodyLimit: Int = 67_108_864, recordsRequests: Bool = true, _ handler: @escaping Handler
  ) throws {
    let limits = Limits(head: headLimit, body: bodyLimit)
    acceptor = try Acceptor(limits: limits, recordsRequests: recordsRequests, handler: handler)
    try acceptor.start()
  }

  deinit { stop() }

  /// The port of 127.0.0.1 at which the server listens. It does not change after ``stop()``.
  public var port: UInt16 { acceptor.port }

  /// The address `http://127.0.0.1:PORT`, without a slash at its end.
  public var address: String { "http://127.0.0.1:\(port)" }

  /// The complete requests that have arrived, in the order in which they were complete. Empty if none are recorded.
  public var requests: [Request] { acceptor.requests }

  /// Refuses new connections, ends existing connections, and returns when all threads have ended. May be called more
  /// than once.
  ///
  /// Reads and writes end at once. The call waits for a handler or a ``Piece/call(_:)`` that blocks. On a thread of the
  /// server itself, as in a handler, it does not wait.
  public func stop() { acceptor.stop() }
}

public typealias Request = LoopbackServer.Request
public typealias Response = LoopbackServer.Response
public typealias Piece = LoopbackServer.Piece
