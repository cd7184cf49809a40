import LoopbackServer
import TestSupport
import Testing

@Suite struct PieceTests {
  @Test(
    "The server sends the head and each piece as soon as they are produced",
    arguments: [Response.Framing.automatic, .chunked])
  func slow(framing: Response.Framing) throws {
    let gates = [Gate(), Gate()]
    let pieces: [Piece] = [
      .call { gates[0].wait("gate before the body") }, .text("a"), .call { gates[1].wait("gate in the body") },
      .text("b"),
    ]
    let server = try LoopbackServer { _ in Response(pieces: pieces, framing: framing) }
    let client = try Client(server)
    client.send(get())
    #expect(try client.readHead().hasPrefix("HTTP/1.1 200 OK\n"))
    gates[0].open()
    #expect(try client.read(framing == .chunked ? 6 : 1).contains("a"))
    gates[1].open()
    #expect(try client.readAll().contains("b"))
  }

  @Test(
    "A response can wait until the client closes the connection",
    arguments: [Response.Framing.length(5), .chunked, .raw])
  func untilGone(framing: Response.Framing) throws {
    let (waits, gone) = (Gate(), Gate())
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
    client.send("GET / HTTP/1.1\nHost: x\n\nGET / HTTP/1.1\nHost: x\n\n")
    waits.wait("response")
    log.append("goes")
    client.close()
    gone.wait("end of the client")
    #expect(log.entries == ["goes", "gone"])
    server.stop()
    // The second request, which the client sent ahead, is not answered, because its connection has ended.
    #expect(server.requests.count == 1)
  }

  @Test(
    "A response that cuts the connection resets it, with any framing",
    arguments: [Response.Framing.automatic, .chunked, .raw])
  func cut(framing: Response.Framing) throws {
    let (read, after) = (Gate(), Gate())
    let pieces: [Piece] = [
      .text("ab"), .call { read.wait("client") }, .cut, .text("cd"), .call { after.open() },
    ]
    let server = try LoopbackServer { _ in Response(pieces: pieces, framing: framing) }
    let client = try Client(server)
    client.send(get())
    if framing != .raw { #expect(try client.readHead().contains("Connection: close\n")) }
    #expect(try client.read(framing == .chunked ? 7 : 2).contains("ab"))
    read.open()
    #expect(throws: LoopbackServer.Failure.self) { try client.readAll() }
    after.wait("call after the cut")
  }

  @Test("The server can cut the connection instead of answering, or never answer")
  func none() throws {
    let server = try LoopbackServer { $0.path == "/cut" ? .cut : .silence }
    let (cut, silent) = (try Client(server), try Client(server))
    cut.send(get("/cut"))
    #expect(throws: LoopbackServer.Failure.self) { try cut.byte() }
    silent.send(get())
    silent.endWriting()
    #expect(try silent.readAll().isEmpty)
  }

  @Test("The server still makes the calls of a response whose client has disconnected")
  func abandoned() throws {
    let (gone, end) = (Gate(), Gate())
    let large = [UInt8](repeating: 0, count: 8_000_000)
    let pieces: [Piece] = [.call { gone.wait("client") }, .bytes(large), .bytes(large), .call { end.open() }]
    let server = try LoopbackServer { _ in Response(pieces: pieces) }
    let client = try Client(server)
    client.send(get())
    _ = try client.readHead()
    client.close()
    gone.open()
    end.wait("last piece")
  }

  @Test("A response to HEAD still makes its calls")
  func head() throws {
    let log = Log<String>()
    let server = try LoopbackServer { _ in Response(pieces: [.text("a"), .call { log.append("called") }, .text("b")]) }
    #expect(try exchange(server, get(method: "HEAD")).hasSuffix("\nContent-Length: 2\nConnection: close\n\n"))
    #expect(log.entries == ["called"])
  }
}
