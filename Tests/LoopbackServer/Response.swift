extension LoopbackServer {
  public struct Response: Sendable {
    /// How the client learns where the body ends.
    public enum Framing: Sendable, Equatable {
      /// `Content-Length`, the sum of all bytes.
      case automatic
      /// `Content-Length` with this number. If the number is wrong, the connection is closed after the response.
      case length(Int)
      case chunked
      /// No length. The body ends with the connection.
      case untilClose
      /// No head. Only the pieces are written, for answers that are not HTTP and for no answer.
      case raw
    }

    public var status: Int
    /// Headers that are written unchanged after those of the framing. `Connection: close` closes the connection.
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

  /// A reset instead of an answer.
  public static var cut: Self { Self(pieces: [.cut], framing: .raw) }

  /// No answer. The connection stays open until the client closes it.
  public static var silence: Self { Self(pieces: [.untilGone], framing: .raw) }
}
