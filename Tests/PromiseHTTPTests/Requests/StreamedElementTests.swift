import Testing

@testable import PromiseHTTP

/// Ways to cut a body into chunks. The result of a parser must not depend on them.
enum Cut: CaseIterable, Sendable {
  case whole, bytes, halves

  func chunks(of body: some Sequence<UInt8>) -> [Data] {
    let body = Data(body)
    return switch self {
    case .whole: [body]
    // A slice, whose indices do not begin at 0.
    case .bytes: body.indices.map { body[$0...$0] }
    case .halves: [body.prefix(body.count / 2), body.dropFirst(body.count / 2)]
    }
  }
}

extension ChunkParser {
  /// Parses a whole body.
  mutating func parseAll(_ chunks: [Data]) throws -> [Element] {
    var elements: [Element] = []
    for chunk in chunks { try parse(chunk, into: &elements) }
    try finish(into: &elements)
    return elements
  }
}

@Suite("Lines of bodies") struct LineSplitterTests {
  private static let texts: [(String, [String])] = [
    ("", []),
    ("a", ["a"]),
    ("a\n", ["a"]),
    ("a\nb", ["a", "b"]),
    ("a\r\nb\r\n", ["a", "b"]),
    ("a\rb\r", ["a", "b"]),
    ("\n\n", ["", ""]),
    ("\r\n\r\n", ["", ""]),
    ("\r\r\n\n", ["", "", ""]),
    ("a\n\rb", ["a", "", "b"]),
    ("grüß\nЖ", ["grüß", "Ж"]),
    ("a\u{2028}b\u{85}c\u{0B}", ["a\u{2028}b\u{85}c\u{0B}"]),
  ]

  @Test("Each way to end a line is found, whatever the chunks", arguments: texts, Cut.allCases)
  func lines(_ text: (body: String, lines: [String]), _ cut: Cut) throws {
    var parser = LineParser(LineSplitter(endingAtReturns: true, from: nil))
    #expect(try parser.parseAll(cut.chunks(of: text.body.utf8)) == text.lines)
  }

  @Test("A line is complete at its CR, before the next chunk")
  func early() throws {
    var parser = LineParser(LineSplitter(endingAtReturns: true, from: nil))
    var lines: [String] = []
    try parser.parse(Data("a\r".utf8), into: &lines)
    #expect(lines == ["a"])
    try parser.parse(Data(), into: &lines)
    try parser.parse(Data("\nb\n".utf8), into: &lines)
    #expect(lines == ["a", "b"])
  }

  @Test("Bytes of a line that are not UTF-8 are replaced", arguments: Cut.allCases)
  func notUTF8(_ cut: Cut) throws {
    var parser = LineParser(LineSplitter(endingAtReturns: true, from: nil))
    #expect(try parser.parseAll(cut.chunks(of: [0x61, 0xFF, 0x0A, 0xC3])) == ["a\u{FFFD}", "\u{FFFD}"])
  }

  @Test("A line that is too long throws, and one of the greatest length does not", arguments: Cut.allCases)
  func tooLong(_ cut: Cut) throws {
    var parser = LineParser(LineSplitter(endingAtReturns: true, atMost: 4, from: URL(string: "http://host/a")))
    #expect(try parser.parseAll(cut.chunks(of: "abcd\nabcd\r\n1234".utf8)) == ["abcd", "abcd", "1234"])
    let error = #expect(throws: TransferError.self) { try parser.parseAll(cut.chunks(of: "\nabcde\n".utf8)) }
    #expect("\(try #require(error))" == "a line or an event from http://host/a is larger than the limit of 4 bytes")
  }

  private struct Note: Codable, Sendable, Equatable { var id: Int }

  @Test("Each line is decoded as JSON, and empty lines are left out", arguments: Cut.allCases)
  func decoded(_ cut: Cut) throws {
    var decoder = LineDecoder<Note>(try response(), JSONDecoder())
    let body = "{\"id\": 1}\r\n\n \t\r\n{\"id\":\r2}\n{\"id\": 3}"
    #expect(try decoder.parseAll(cut.chunks(of: body.utf8)) == [1, 2, 3].map(Note.init))
  }

  @Test("A line that is not JSON throws with that line", arguments: [#"{"id": "x"}"#, "{", "[1", "null", "{} {}"])
  func notDecodable(_ line: String) throws {
    var decoder = LineDecoder<Note>(try response(), JSONDecoder())
    var notes: [Note] = []
    let error = #expect(throws: HTTPError.self) {
      try decoder.parse(Data("{\"id\": 1}\n\(line)\n".utf8), into: &notes)
    }
    #expect(error?.caseName == "HTTPError.notDecodable")
    #expect(error?.response?.text == line)
    #expect(notes == [Note(id: 1)])
  }
}

/// Returns a response that no server has sent.
func response(
  _ headers: [String: String] = [:], url: String = "http://host/a/b?c", status: Int = 200, body: Data = Data()
) throws -> HTTPResponse {
  let url = try #require(URL(string: url))
  let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
  return try HTTPResponse(try #require(head), body: body)
}

@Suite("Server-sent events", .bounded) struct ServerSentEventTests {
  /// Returns an event in short form.
  private static func event(
    _ data: String, _ type: String = "message", id: String = "", retry: Int? = nil
  ) -> ServerSentEvent {
    ServerSentEvent(type: type, data: data, lastEventID: id, reconnectionTime: retry.map { .milliseconds($0) })
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
    #expect(try parser.parseAll(cut.chunks(of: body.text.utf8)).compactMap(\.event) == body.events)
  }

  @Test(
    "A block that changes only the identifier is kept, and other blocks without data are left out",
    arguments: Cut.allCases)
  func identifiers(_ cut: Cut) throws {
    var parser = ServerSentEventParser(from: nil)
    let text = "event: x\n\nid: 1\n\nid: 1\n\n: ping\n\ndata: a\n\nid\n\nid: 2\ndata: b\n\nid: 3\n"
    let blocks = try parser.parseAll(cut.chunks(of: text.utf8))
    #expect(blocks.map(\.lastEventID) == ["1", "1", "", "2"])
    #expect(blocks.map(\.event) == [nil, Self.event("a", id: "1"), nil, Self.event("b", id: "2")])
  }

  @Test("The last identifier of a stream includes one without data, and an event counts when the next one is asked for")
  func lastEventID() async throws {
    let exchange = try Exchange { _ in
      Response(
        pieces: [.text("data: a\n\nid: 1\ndata: b\n\ndata: c\n\nid: 2\n\nid: 3\n"), .cut], framing: .length(999))
    }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    var events = stream.events.makeAsyncIterator()
    for (data, id) in [("a", nil), ("b", nil), ("c", "1")] {
      #expect(try await events.next()?.data == data)
      #expect(stream.lastEventID == id)
    }
    await #expect(throws: URLError.self) { try await events.next() }
    #expect(stream.lastEventID == "2")
  }

  @Test("Bytes of an event that are not UTF-8 are replaced", arguments: Cut.allCases)
  func notUTF8(_ cut: Cut) throws {
    var parser = ServerSentEventParser(from: nil)
    let events = try parser.parseAll(cut.chunks(of: Array("data: ".utf8) + [0xFF] + Array("\n\n".utf8)))
    #expect(events.map(\.event) == [Self.event("\u{FFFD}")])
  }

  @Test("An event with more data than the limit throws", arguments: Cut.allCases)
  func tooLarge(_ cut: Cut) throws {
    var parser = ServerSentEventParser(atMost: 10, from: nil)
    let short = "data: 1234\ndata: 1234\n\n"
    #expect(try parser.parseAll(cut.chunks(of: short.utf8)).map(\.event) == [Self.event("1234\n1234")])
    let long = "data: 1234\ndata: 1234\ndata\n\n"
    #expect(throws: TransferError.self) { try parser.parseAll(cut.chunks(of: long.utf8)) }
  }

  @Test("A last line that cannot be decoded throws, and the end of the body was received")
  func lastLine() async throws {
    let exchange = try Exchange { _ in .text("1\n2\nx") }
    let stream = try await exchange.session.stream(for: .get(exchange.server.address)).value
    var numbers = stream.decodedLines(as: Int.self).makeAsyncIterator()
    #expect(try await numbers.next() == 1)
    #expect(try await numbers.next() == 2)
    for _ in 0..<2 { await #expect(throws: HTTPError.self) { try await numbers.next() } }
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
    #expect(await stream.end.awaitedError is HTTPError)
    try await unfinished.left.value
  }
}
