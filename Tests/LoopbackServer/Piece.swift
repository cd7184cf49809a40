extension LoopbackServer {
  /// What happens after a response's head has been written, one piece after the other, on the connection's thread.
  ///
  /// When the client is gone, bytes are left out, but calls are made. When the server has been stopped, nothing more happens.
  /// A response without a body (to HEAD, and 204 and 304) leaves out only the bytes.
  public enum Piece: Sendable {
    /// Written and flushed at once. In a chunked response these are one chunk.
    case bytes([UInt8])
    /// For instance to wait at a gate: a slow body.
    case call(@Sendable () -> Void)
    /// Blocks until the client has closed its end, as one does that cancels a request. Ends the connection; a
    /// `call` after it says that it happened.
    case untilGone
    /// Closes the connection abruptly, whatever was announced: the client gets a reset.
    case cut

    public static func text(_ text: String) -> Self { .bytes(Array(text.utf8)) }

    var count: Int {
      if case .bytes(let bytes) = self { bytes.count } else { 0 }
    }

    /// Whether no other response can follow on the same connection.
    var endsConnection: Bool {
      switch self {
      case .bytes, .call: false
      case .untilGone, .cut: true
      }
    }
  }
}
