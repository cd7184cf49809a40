import LoopbackServer
import TestSupport
import Testing

@Suite struct ConnectionTests {
  @Test("The server answers pipelined requests in order")
  func pipelining() throws {
    let server = try LoopbackServer { .text("<\($0.path) \($0.bodyText)>") }
    let chunked = "POST /b HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n3\ntwo\n0\n\n"
    let answer = try exchange(server, "POST /a HTTP/1.1\nHost: x\nContent-Length: 3\n\none\n\n" + chunked + get("/c"))
    #expect(
      answer.split(separator: "\n").filter { $0.hasPrefix("<") } == [
        "</a one>HTTP/1.1 200 OK", "</b two>HTTP/1.1 200 OK", "</c >",
      ])
  }

  @Test(
    "The server answers a client that asks to close, or that speaks HTTP/1.0, and then closes the connection",
    arguments: ["HTTP/1.1\nHost: x\nConnection: close", "HTTP/1.1\nHost: x\nConnection: Foo, CLOSE", "HTTP/1.0"])
  func closedByRequest(version: String) throws {
    let server = try LoopbackServer { _ in .text("a") }
    #expect(try exchange(server, "GET / \(version)\n\n" + keeping).hasSuffix("Connection: close\n\na"))
    #expect(server.requests.count == 1)
  }

  @Test("A response that asks to close ends the connection, and its Connection header is sent once")
  func closedByResponse() throws {
    let server = try LoopbackServer { _ in Response(headers: [("connection", "close")]) }
    #expect(try exchange(server, keeping + keeping) == "HTTP/1.1 200 OK\nContent-Length: 0\nconnection: close\n\n")
  }
}

@Suite struct StopTests {
  @Test("Stopping the server, even from several threads, ends connections that wait for any part of an exchange")
  func waiting() throws {
    let server = try LoopbackServer { _ in .silence }
    let requests = ["", "GET / HT", "POST / HTTP/1.1\nHost: x\nContent-Length: 2\n\na", get()]
    let clients = try requests.map { request in
      let client = try Client(server)
      client.send(request)
      return client
    }
    race(Array(repeating: { server.stop() }, count: 4))
    server.stop()
    // Connections that were not accepted, or whose data were not read, are reset.
    for client in clients { #expect((try? client.readAll()) ?? "" == "") }
    #expect(server.address == "http://127.0.0.1:\(server.port)")
  }

  @Test("Stopping the server ends a connection whose client reads nothing")
  func writing() throws {
    let writes = Gate()
    let log = Log<String>()
    let pieces: [Piece] = [
      .call { writes.open() }, .bytes([UInt8](repeating: 0, count: 32_000_000)), .call { log.append("written") },
    ]
    let server = try LoopbackServer { _ in Response(pieces: pieces) }
    let client = try Client(server)
    client.send(get())
    writes.wait("response")
    server.stop()
    #expect(log.entries == [])
    client.close()
  }

  @Test("Stopping the server waits for a running handler and discards its response")
  func working() throws {
    let works = Gate()
    let goesOn = Gate()
    let log = Log<String>()
    let server = try LoopbackServer { request in
      works.open()
      goesOn.wait("stop")
      log.append("handler")
      return Response(pieces: [.call { log.append("piece") }])
    }
    let client = try Client(server)
    client.send(keeping + keeping)
    works.wait("handler")
    race([
      {
        server.stop()
        log.append("stopped")
      },
      {
        // The server shuts the socket before it waits for the handler.
        _ = try? client.readAll()
        goesOn.open()
      },
    ])
    #expect(log.entries == ["handler", "stopped"])
  }

  @Test("A server that is released stops and releases its handler")
  func letGo() throws {
    let census = Tracked.Census()
    let own = Locked<LoopbackServer?>(
      try LoopbackServer { [tracked = Tracked(census)] _ in tracked.carrying(Response.text("a")) })
    let client = try Client(port: try #require(own.withLock { $0?.port }))
    client.send(keeping)
    #expect(try client.readHead().hasPrefix("HTTP/1.1 200 OK\n"))
    #expect(try client.read(1) == "a")
    #expect(census.living == 1)
    own.withLock { $0 = nil }
    #expect(census.living == 0)
    #expect(try client.readAll().isEmpty)
  }

  @Test("A server that is released in its own handler stops")
  func letGoInHandler() throws {
    let own = Locked<LoopbackServer?>(nil)
    let released = Gate()
    let server = try LoopbackServer { _ in
      // This is the last reference, so the deinit of the server runs here, outside the lock.
      _ = own.withLock { $0.take() }
      released.open()
      return .text("a")
    }
    let client = try Client(port: server.port)
    own.withLock { $0 = server }
    _ = consume server
    client.send(get())
    released.wait("release by the handler")
    #expect((try? client.readAll()) ?? "" == "")
  }
}
