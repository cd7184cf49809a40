/// A connection to one client. It reads and answers requests until the client or the server ends it.
struct Connection: Sendable {
  let number: Int
  let socket: Socket
  let limits: Limits

  /// Answers requests, and returns when the connection is closed.
  func serve(_ handler: (Request) -> Response) {
    var reader = RequestReader(socket: socket, limits: limits)
    var writer = ResponseWriter(socket: socket)
    do throws(Refusal) {
      while writer.isOpen {
        // When the server is stopped, the reader may still hold pipelined requests.
        if socket.isShut { throw Refusal.gone }
        let (request, keepsAlive) = try reader.next(connection: number)
        writer.write(handler(request), to: request.method, keepsAlive: keepsAlive)
      }
    } catch {
      if case .status(let status) = error { writer.write(.empty(status: status), to: "", keepsAlive: false) }
    }
    if !writer.wasCut { finish() }
  }

  /// Lets the client close first. A socket that is closed with unread data sends a reset, and the client may then lose
  /// an answer that it has not read.
  private func finish() {
    socket.endWriting()
    socket.discard()
    socket.close()
  }
}

extension Socket {
  /// Blocks until the client has closed its end, and discards the data that it sends before that.
  func discard() {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while let part = try? receive(into: &buffer), !part.isEmpty {}
  }
}
