import LoopbackServer
import TestSupport
import Testing

@Suite struct ResponseTests {
  /// Returns the whole answer that a client receives if it asks to close the connection.
  private func answer(_ response: Response, method: String = "GET") throws -> String {
    try exchange(try LoopbackServer { _ in response }, get(method: method))
  }

  @Test("The default Content-Length of a response is the number of its bytes")
  func automatic() throws {
    let response = Response(status: 299, headers: [("A", "b"), ("A", "c")], pieces: [.text("one"), .text("two")])
    #expect(try answer(response) == "HTTP/1.1 299 Status\nContent-Length: 6\nA: b\nA: c\nConnection: close\n\nonetwo")
  }

  @Test("Each piece of a chunked response is one chunk, and an empty piece does not end it early")
  func chunked() throws {
    let response = Response(pieces: [.text("0123456789"), .bytes([]), .text("two")], framing: .chunked)
    #expect(
      try answer(response)
        == "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nConnection: close\n\na\n0123456789\n3\ntwo\n0\n\n")
  }

  @Test(
    "A response without a length, or with a false length, is sent as given and ends its connection",
    arguments: [
      (.untilClose, "Connection: close\n"), (.length(2), "Content-Length: 2\nConnection: close\n"),
      (.length(4), "Content-Length: 4\nConnection: close\n"),
    ] as [(Response.Framing, String)])
  func ends(framing: Response.Framing, headers: String) throws {
    let server = try LoopbackServer { _ in Response(pieces: [.text("abc")], framing: framing) }
    #expect(try exchange(server, keeping) == "HTTP/1.1 200 OK\n\(headers)\nabc")
  }

  @Test("A correct Content-Length keeps the connection open")
  func truth() throws {
    let server = try LoopbackServer { _ in Response(pieces: [.text("abc")], framing: .length(3)) }
    let answer = try exchange(server, keeping + get())
    #expect(answer.ranges(of: "HTTP/1.1 200 OK\nContent-Length: 3\n").count == 2)
  }

  @Test("A raw response consists of its pieces alone", arguments: ["GET", "HEAD"])
  func raw(method: String) throws {
    let response = Response(status: 204, pieces: [.text("no"), .text("thing")], framing: .raw)
    #expect(try answer(response, method: method) == "nothing")
  }

  @Test("HEAD gets the head that GET would get, the connection stays open, and the response still makes its calls")
  func head() throws {
    let framings: [Response.Framing] = [.automatic, .length(9), .chunked]
    let expected = ["Content-Length: 3", "Content-Length: 9", "Transfer-Encoding: chunked"]
    for (framing, header) in zip(framings, expected) {
      let calls = Locked(0)
      let pieces: [Piece] = [.text("ab"), .call { _ = calls.increment() }, .text("c")]
      let server = try LoopbackServer { _ in Response(pieces: pieces, framing: framing) }
      let answer = try exchange(server, "HEAD / HTTP/1.1\nHost: x\n\n" + get(method: "HEAD"))
      let head = "HTTP/1.1 200 OK\n\(header)\n"
      #expect(answer == head + "\n" + head + "Connection: close\n\n")
      #expect(calls.withLock { $0 } == 2)
    }
  }

  @Test(
    "A response with the status 204 or 304 has no body, even if it has pieces", arguments: [204, 304],
    [Response.Framing.automatic, .chunked])
  func bodiless(status: Int, framing: Response.Framing) throws {
    let text = try answer(Response(status: status, pieces: [.text("abc")], framing: framing))
    #expect(text.hasPrefix("HTTP/1.1 \(status) "))
    #expect(text.hasSuffix("\nConnection: close\n\n"))
    #expect(!text.contains("Content-Length"))
    #expect(!text.contains("Transfer-Encoding"))
  }

  @Test("The helpers of Response produce the most common responses")
  func helpers() throws {
    #expect(
      try answer(.text("ü", status: 201))
        == "HTTP/1.1 201 Created\nContent-Length: 2\nContent-Type: text/plain; charset=utf-8\nConnection: close\n\nü")
    #expect(
      try answer(.json("{}"))
        == "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Type: application/json\nConnection: close\n\n{}")
    #expect(
      try answer(.bytes([65, 66], type: "a/b"))
        == "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Type: a/b\nConnection: close\n\nAB")
    #expect(try answer(.empty()) == "HTTP/1.1 204 No Content\nConnection: close\n\n")
    #expect(try answer(.empty(status: 500)).contains("\nContent-Length: 0\n"))
    #expect(
      try answer(.redirect(to: "/b", status: 307))
        == "HTTP/1.1 307 Temporary Redirect\nContent-Length: 0\nLocation: /b\nConnection: close\n\n")
    #expect(try answer(.notFound).hasPrefix("HTTP/1.1 404 Not Found\n"))
  }
}

@Suite struct PieceTests {
  @Test("A response can wait until the client closes", arguments: [Response.Framing.length(5), .chunked, .raw])
  func untilGone(framing: Response.Framing) throws {
    let waits = Gate()
    let gone = Gate()
    let log = Log<String>()
    let pieces: [Piece] = [
      .text("ab"), .call { waits.open() }, .untilGone,
      .call {
        log.append("gone")
        gone.open()
      },
    ]
    let server = try LoopbackServer { _ in Response(pieces: pieces, framing: framing) }
    let client = try Client(server)
    client.send(keeping + keeping)
    waits.wait("response")
    log.append("goes")
    client.close()
    gone.wait("end of the client")
    #expect(log.entries == ["goes", "gone"])
    server.stop()
    // The second request, which the client sent ahead, is not answered, because its connection has ended.
    #expect(server.requests.count == 1)
  }

  @Test("A response of any framing can reset the connection", arguments: [Response.Framing.automatic, .chunked, .raw])
  func cut(framing: Response.Framing) throws {
    let read = Gate()
    let after = Gate()
    let pieces: [Piece] = [.text("ab"), .call { read.wait("client") }, .cut, .text("cd"), .call { after.open() }]
    let server = try LoopbackServer { _ in Response(pieces: pieces, framing: framing) }
    let client = try Client(server)
    client.send(get())
    if framing != .raw { #expect(try client.readHead().contains("Connection: close\n")) }
    #expect(try client.read(framing == .chunked ? 7 : 2).contains("ab"))
    read.open()
    #expect(throws: LoopbackServer.Failure.self) { try client.readAll() }
    after.wait("call after the cut")
  }
}
