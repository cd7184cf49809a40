import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PromiseFoundation

@Suite("Server-sent events", .bounded)
struct ServerSentEventTests {
  /// Returns an event in short form.
  private static func event(
    _ data: String, _ type: String = "message", id: String = "", retry: Int? = nil
  ) -> ServerSentEvent {
    ServerSentEvent(
      type: type, data: data, lastEventID: id, reconnectionTime: retry.map { .milliseconds($0) })
  }

  private static let bodies: [(String, [ServerSentEvent])] = [
    ("", []),
    ("data: a\n\n", [event("a")]),
    ("data:a\n\n", [event("a")]),
    ("data:  a \n\n", [event(" a ")]),
    ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", [event("a"), event("b"), event("c")]),
    // The examples of the standard.
    ("data: YHOO\ndata: +2\ndata: 10\n\n", [event("YHOO\n+2\n10")]),
    (
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
      [event("first event", id: "1"), event("second event"), event(" third event")]
    ),
    ("data\n\ndata\ndata\n\ndata:", [event(""), event("\n")]),
    ("data:test\n\ndata: test\n\n", [event("test"), event("test")]),
    (
      "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n",
      [event("73857293", "add"), event("2153", "remove")]
    ),
    // An event without data is left out, but its identifier and its time remain.
    ("event: x\n\ndata: a\n\n", [event("a")]),
    ("id: 7\n\ndata: a\n\n", [event("a", id: "7")]),
    ("retry: 1500\n\ndata: a\n\n", [event("a", retry: 1500)]),
    ("id: 1\ndata: a\n\ndata: b\n\n", [event("a", id: "1"), event("b", id: "1")]),
    // Values that are ignored.
    ("id: 1\nid: 2\u{0}3\ndata: a\n\n", [event("a", id: "1")]),
    (
      "retry: 5\nretry: -1\nretry: 1.5\nretry:\nretry: x\nretry: 99999999999999999999\ndata: a\n\n",
      [event("a", retry: 5)]
    ),
    ("Data: a\nother: b\n data: c\ndata : d\n\n", []),
    (":data: a\n:\n\n", []),
    // Incomplete events.
    ("data: a", []), ("data: a\n", []), ("data: a\n\ndata: b\n", [event("a")]),
    // A byte order mark counts only at the start.
    ("\u{FEFF}data: a\n\n", [event("a")]),
    ("\u{FEFF}\u{FEFF}data: a\n\n", []),
    ("\n\u{FEFF}data: a\n\n", []),
    ("\u{FEFF}\ndata: a\n\n", [event("a")]),
    ("data: grüß Ж\n\n", [event("grüß Ж")]),
    ("event: message\ndata: a:b: c\n\n", [event("a:b: c")]),
  ]

  @Test("Events are parsed as the standard says, whatever the chunks", arguments: bodies, Cut.allCases)
  func parse(_ body: (text: String, events: [ServerSentEvent]), _ cut: Cut) throws {
    var parser = ServerSentEventParser(from: nil)
    #expect(try parser.parseAll(cut.chunks(of: body.text.utf8)) == body.events)
  }

  @Test("Bytes that are not UTF-8 are replaced", arguments: Cut.allCases)
  func notUTF8(_ cut: Cut) throws {
    var parser = ServerSentEventParser(from: nil)
    let events = try parser.parseAll(cut.chunks(of: Array("data: ".utf8) + [0xFF] + Array("\n\n".utf8)))
    #expect(events == [Self.event("\u{FFFD}")])
  }

  @Test("An event with more data than the limit throws", arguments: Cut.allCases)
  func tooLarge(_ cut: Cut) throws {
    var parser = ServerSentEventParser(atMost: 10, from: nil)
    let short = "data: 1234\ndata: 1234\n\n"
    #expect(try parser.parseAll(cut.chunks(of: short.utf8)) == [Self.event("1234\n1234")])
    #expect(throws: TransferError.self) {
      try parser.parseAll(cut.chunks(of: "data: 1234\ndata: 1234\ndata\n\n".utf8))
    }
  }

  @Test("A last line that cannot be decoded throws, and the end of the body was received")
  func lastLine() async throws {
    let exchange = try Exchange { _ in .text("1\n2\nx") }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    var numbers = stream.decodedLines(as: Int.self).makeAsyncIterator()
    #expect(try await numbers.next() == 1)
    #expect(try await numbers.next() == 2)
    for _ in 0..<2 {
      await #expect(throws: HTTPError.self) { try await numbers.next() }
    }
    #expect(stream.end.isFulfilled)
  }

  @Test("A line that cannot be decoded throws after the values before it, and the request is cancelled")
  func decodedLines() async throws {
    let unfinished = UnfinishedResponse([.text("1\n2\nx\n4\n")], framing: .chunked)
    let exchange = try Exchange { _ in unfinished.response }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    var numbers: [Int] = []
    await #expect(throws: HTTPError.self) {
      for try await number in stream.decodedLines(as: Int.self) { numbers.append(number) }
    }
    #expect(numbers == [1, 2])
    #expect(await stream.end.failure is HTTPError)
    try await unfinished.left.value
  }
}
