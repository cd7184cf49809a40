import PromiseHTTP

/// A response without an end. After its pieces, the server waits for the client to close the connection.
struct UnfinishedResponse: Sendable {
  let response: Response
  /// A promise that is fulfilled when the server has sent the pieces.
  let sent: Promise<Void>
  /// A promise that is fulfilled when the client has closed the connection.
  let left: Promise<Void>

  init(_ pieces: [Piece] = [], framing: Response.Framing = .raw) {
    let sent = Deferred<Void>()
    let left = Deferred<Void>()
    response = Response(
      pieces: pieces + [.call { sent.fulfill() }, .untilGone, .call { left.fulfill() }], framing: framing)
    (self.sent, self.left) = (sent.promise, left.promise)
  }
}
