extension LoopbackServer {
  /// A step of a response after its head. The thread of the connection takes the steps in order.
  ///
  /// After the client has disconnected, the server skips bytes, but still makes calls. After the server is stopped, it
  /// takes no further step. A response without a body (to HEAD, or with the status 204 or 304) skips only the bytes.
  public enum Piece: Sendable {
    /// Bytes that are written and flushed at once. In a chunked response they are one chunk.
    case bytes([UInt8])
    /// A call, for example to wait at a gate in a slow body.
    case call(@Sendable () -> Void)
    /// Blocks until the client has closed its end, for example because it has cancelled the request. Ends the
    /// connection. A `call` after this piece tells a test that the client has closed it.
    case untilGone
    /// Closes the connection abruptly, whatever length was announced. The client gets a reset.
    case cut

    public static func text(_ text: String) -> Self { .bytes(Array(text.utf8)) }

    var count: Int { if case .bytes(let bytes) = self { bytes.count } else { 0 } }

    /// Whether no other response can follow on the same connection.
    var endsConnection: Bool {
      switch self {
      case .bytes, .call: false
      case .untilGone, .cut: true
      }
    }
  }
}
