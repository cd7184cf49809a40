import Dispatch
import LoopbackServer
import PromiseHTTP

/// A server with the notes of one user. It sends half of them at once, and the rest after `sendTheRest()`.
final class NotesServer: Sendable {
  private let server: LoopbackServer
  private let rest = DispatchSemaphore(value: 0)
  private let left = Deferred<Void>()

  var address: String { server.address }

  /// A promise that is fulfilled when the client closes its connection before the server has sent the rest.
  var clientLeft: Promise<Void> { left.promise }

  func sendTheRest() { rest.signal() }

  /// - Parameter stalls: whether the server never sends the rest, and waits until the client closes its connection.
  init(stalls: Bool) throws {
    let (rest, left) = (rest, left)
    let (first, second) = (#"[{"title": "Analytical engine"}, "#, #"{"title": "Bernoulli numbers"}]"#)
    let pieces: [Piece] =
      stalls
      ? [.text(first), .untilGone, .call { left.fulfill() }]
      : [.text(first), .call { rest.wait() }, .text(second)]
    server = try LoopbackServer { request in
      switch (request.method, request.target) {
      case ("POST", "/login"):
        request.bodyText == "user=Ada+L.&password=secret"
          ? .json(#"{"token": "t-1"}"#) : .text("wrong password", status: 403)
      case ("GET", "/users/Ada%20L./notes") where request["Authorization"] == "Bearer t-1":
        Response(
          headers: [("Content-Type", "application/json")], pieces: pieces,
          framing: .length(first.utf8.count + second.utf8.count))
      default:
        .notFound
      }
    }
  }
}
