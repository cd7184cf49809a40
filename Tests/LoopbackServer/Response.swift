extension LoopbackServer {
  public struct Response: Sendable {
    /// How the client learns where the body ends.
    public enum Framing: Sendable, Equatable {
      /// `Content-Length`, the sum of all bytes.
      case automatic
      /// `Content-Length` with this number. If it is a lie, the connection is closed behind it.
      case length(Int)
      case chunked
      /// No length: the body ends where the connection does.
      case untilClose
      /// There is no head, the pieces are all that is written: for answers that are no HTTP, and for none.
      case raw
    }

    public var status: Int
    /// Written as they are, after those of the framing. `Connection: close` closes.
    public var headers: [(String, String)]
    public var pieces: [Piece]
    public var framing: Framing

    public init(
      status: Int = 200, headers: [(String, String)] = [], pieces: [Piece] = [], framing: Framing = .automatic
    ) {
      self.status = status
      self.headers = headers
      self.pieces = pieces
      self.framing = framing
    }
  }
}

extension LoopbackServer.Response {
  public static func bytes(
    _ bytes: [UInt8], type: String = "application/octet-stream", status: Int = 200
  ) -> Self {
    Self(status: status, headers: [("Content-Type", type)], pieces: [.bytes(bytes)])
  }

  public static func text(_ text: String, status: Int = 200) -> Self {
    .bytes(Array(text.utf8), type: "text/plain; charset=utf-8", status: status)
  }

  public static func json(_ text: String, status: Int = 200) -> Self {
    .bytes(Array(text.utf8), type: "application/json", status: status)
  }

  public static func empty(status: Int = 204) -> Self { Self(status: status) }

  public static func redirect(to location: String, status: Int = 302) -> Self {
    Self(status: status, headers: [("Location", location)])
  }

  public static var notFound: Self { .text("not found", status: 404) }

  /// No answer, but a reset.
  public static var cut: Self { Self(pieces: [.cut], framing: .raw) }

  /// No answer, until the client gives up.
  public static var silence: Self { Self(pieces: [.untilGone], framing: .raw) }
}
