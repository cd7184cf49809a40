/// One client: reads a request, has it answered, and so on until one of both wants no more.
struct Connection: Sendable {
  let number: Int
  let socket: Socket
  let limits: Limits

  /// Returns when the connection is closed.
  func serve(_ handler: (Request) -> Response) {
    var reader = RequestReader(socket: socket, limits: limits)
    var writer = ResponseWriter(socket: socket)
    do throws(Refusal) {
      while writer.isOpen {
        // What was pipelined is still in the reader, when the server is stopped.
        if socket.isShut { throw Refusal.gone }
        let (request, keepsAlive) = try reader.next(connection: number)
        writer.write(handler(request), to: request.method, keepsAlive: keepsAlive)
      }
    } catch {
      if case .status(let status) = error { writer.write(.empty(status: status), to: "", keepsAlive: false) }
    }
    if !writer.wasCut { finish() }
  }

  /// A close with unread data is a reset, which may take from the client what it has not read yet: the answer. So the client
  /// closes first.
  private func finish() {
    socket.endWriting()
    socket.discard()
    socket.close()
  }
}

extension Socket {
  /// Blocks until the client has closed its end; what it sends before that is lost.
  func discard() {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while let part = try? receive(into: &buffer), !part.isEmpty {}
  }
}
