import PromiseHTTP
import Testing

struct Message: Codable, Sendable, Equatable {
  var id = UUID()
  let text: String
}

struct Chat: Sendable {
  let session: URLSession
  let address: String
  var backoff: Backoff = .exponential(first: .milliseconds(500))

  /// Shows messages until the promise is cancelled, or until the server refuses.
  func receive(_ show: @escaping @Sendable @MainActor (Message) -> Void) -> Promise<Void> {
    Promise.task {
      var lastID = ""
      var pause = Duration.seconds(3)
      while true {
        var request = HTTPRequest.get("\(address)/messages").header("Accept", "text/event-stream")
        if !lastID.isEmpty { request = request.header("Last-Event-ID", lastID) }
        do {
          let stream = try await session.stream(for: request.idleTimeout(.seconds(60))).value(cancelsSource: true)
          defer { lastID = stream.lastEventID ?? lastID }
          for try await event in stream.events {
            await show(try JSONDecoder().decode(Message.self, from: Data(event.data.utf8)))
            pause = event.reconnectionTime ?? pause
          }
        } catch let error as URLError where error.code != .cancelled {}  // the connection was lost
        try await Promise.after(pause).value(cancelsSource: true)
      }
    }
  }

  func send(_ message: Message) -> Promise<Void> {
    let request = HTTPRequest.post("\(address)/messages").header("Idempotency-Key", "\(message.id)").json(message)
    return Promise.retry(attempts: 5, backoff: backoff) {
      session.promise(for: request).timeout(.seconds(20))
    }
    .asVoid()
  }
}

@MainActor
final class ChatScreen: CancelBagOwner {
  let cancelBag = CancelBag()
  private let chat: Chat
  private(set) var lines: [String] = []

  init(of chat: Chat) { self.chat = chat }

  func appear() {
    chat.receive { [weak self] message in self?.lines.append(message.text) }
      .bound(to: self)
      .onFailed(on: .main) { [weak self] in self?.report($0) }
  }

  func send(_ text: String) {
    chat.send(Message(text: text))
      .bound(to: self)
      .onFailed(on: .main) { [weak self] in self?.report($0) }
  }

  private func report(_ error: any Error) {
    lines.append("Not available: \(error)")
  }
}

/// Runs the code of Docs/Recipes/LiveMessages.md against a local server.
@Suite("Documents: Live messages", .bounded) struct LiveMessagesTests {
  private static func event(_ id: Int) throws -> Piece {
    let data = try JSONEncoder().encode(Message(text: "message \(id)"))
    return .text("retry: 0\nid: \(id)\ndata: \(String(decoding: data, as: UTF8.self))\n\n")
  }

  @Test("The chat goes on after a lost connection, and ends with its screen")
  @MainActor
  func receiving() async throws {
    let gone = Deferred<Void>()
    let exchange = try Exchange { request in
      do {
        let events = [try Self.event(1), try Self.event(2), .text("id: 5\n\nid: 3\ndata: {\"id\"")]
        return switch request["Last-Event-ID"] {
        case nil: Response(pieces: events, framing: .length(10_000))
        case "5": Response(pieces: [try Self.event(3)], framing: .chunked)
        default: Response(pieces: [try Self.event(4), .untilGone, .call { gone.fulfill() }], framing: .chunked)
        }
      } catch {
        return .text("\(error)", status: 500)
      }
    }
    var screen: ChatScreen? = ChatScreen(of: Chat(session: exchange.session, address: exchange.server.address))
    screen?.appear()
    while (screen?.lines.count ?? 4) < 4 { await Task.yield() }
    #expect(screen?.lines == (1...4).map { "message \($0)" })
    #expect(exchange.server.requests.map { $0["Last-Event-ID"] } == [nil, "5", "3"])
    screen = nil
    try await gone.promise.value
  }

  @Test("A refusal ends the chat with a line")
  @MainActor
  func refused() async throws {
    let exchange = try Exchange { _ in .text("closed", status: 410) }
    let screen = ChatScreen(of: Chat(session: exchange.session, address: exchange.server.address))
    screen.appear()
    while screen.lines.isEmpty { await Task.yield() }
    #expect(screen.lines.first?.hasPrefix("Not available: status 410") == true)
  }

  @Test("A message is sent until it has arrived, with the same key")
  func sending() async throws {
    let count = Log<Int>()
    let exchange = try Exchange { _ in
      count.append(1)
      return .empty(status: count.entries.count < 3 ? 503 : 204)
    }
    let chat = Chat(session: exchange.session, address: exchange.server.address, backoff: .constant(.zero))
    let message = Message(text: "hello")
    try await chat.send(message).value
    let keys = exchange.server.requests.map { $0["Idempotency-Key"] }
    #expect(Set(keys) == ["\(message.id)"])
    // On a busy machine, an attempt may time out and be sent again.
    #expect(keys.count >= 3)
    #expect(try JSONDecoder().decode(Message.self, from: Data(exchange.server.requests[2].body)) == message)
  }
}
