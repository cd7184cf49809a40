/// A small HTTP/1.1 server on 127.0.0.1, for tests and examples: real sockets, a thread for each connection.
///
///     let server = try LoopbackServer { request in
///       request.path == "/hello" ? .text("Hello!") : .notFound
///     }
///     fetch(server.address + "/hello")
///
/// It stops when it is let go. So a handler must not hold its own server, but may do so weakly.
public final class LoopbackServer: Sendable {
  public typealias Handler = @Sendable (Request) -> Response

  /// What the threads share. They do not hold the server: it would never be let go.
  private let acceptor: Acceptor

  /// Starts at once, at a free port. The handler is called on the connection's thread, once for each request; it may block.
  ///
  /// A head of more than `headLimit` bytes is answered with 431, a body of more than `bodyLimit` bytes with 413; neither
  /// reaches the handler.
  public init(headLimit: Int = 65_536, bodyLimit: Int = 67_108_864, _ handler: @escaping Handler) throws {
    acceptor = try Acceptor(limits: Limits(head: headLimit, body: bodyLimit), handler: handler)
    try acceptor.start()
  }

  deinit { stop() }

  /// Where it listens, on 127.0.0.1 only. Remains what it was after ``stop()``.
  public var port: UInt16 { acceptor.port }

  /// `http://127.0.0.1:PORT`, without a slash at its end.
  public var address: String { "http://127.0.0.1:\(port)" }

  /// What has arrived so far, whole requests only, in the order in which they were complete.
  public var requests: [Request] { acceptor.requests }

  /// Refuses new connections, ends those that there are, and returns when all threads have ended. May be called often.
  ///
  /// Reads and writes end at once; a handler or a ``Piece/call(_:)`` that blocks is waited for. On a thread of the server
  /// itself (in a handler) it waits for nobody.
  public func stop() { acceptor.stop() }
}

public typealias Request = LoopbackServer.Request
public typealias Response = LoopbackServer.Response
public typealias Piece = LoopbackServer.Piece
