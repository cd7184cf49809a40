/// Writes responses to a connection, as long as it lasts.
struct ResponseWriter {
  let socket: Socket
  /// Whether another response may follow.
  private(set) var isOpen = true
  private(set) var wasCut = false

  init(socket: Socket) { self.socket = socket }

  /// `keepsAlive`: whether the client wants the connection to go on.
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
