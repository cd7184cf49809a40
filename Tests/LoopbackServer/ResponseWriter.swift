/// Writes responses to a connection, while the connection lasts.
struct ResponseWriter {
  let socket: Socket
  /// Whether another response may follow.
  private(set) var isOpen = true
  private(set) var wasCut = false

  init(socket: Socket) { self.socket = socket }

  /// Writes a response.
  ///
  /// - Parameter keepsAlive: whether the client wants to keep the connection.
  mutating func write(_ response: Response, to method: String, keepsAlive: Bool) {
    let plan = ResponsePlan(response, method: method, keepsAlive: keepsAlive)
    var isThere = socket.send(plan.head)
    for piece in response.pieces {
      if socket.isShut { break }
      switch piece {
      case .bytes(let bytes):
        if isThere { isThere = socket.send(plan.framed(bytes)) }
      case .call(let call): call()
      case .untilGone:
        if isThere { socket.discard() }
        isThere = false
      case .cut:
        socket.close(abruptly: true)
        wasCut = true
        isThere = false
      }
    }
    if isThere { isThere = socket.send(plan.tail) }
    isOpen = isThere && plan.keepsAlive
  }
}
