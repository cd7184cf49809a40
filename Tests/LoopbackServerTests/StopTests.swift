import LoopbackServer
import TestSupport
import Testing

@Suite struct StopTests {
  @Test("Stopping the server ends connections that wait for a request, for its rest or for the client to close")
  func waiting() throws {
    let server = try LoopbackServer { _ in .silence }
    let requests = ["", "GET / HT", "POST / HTTP/1.1\nHost: x\nContent-Length: 2\n\na", get()]
    let clients = try requests.map { request in
      let client = try Client(server)
      client.send(request)
      return client
    }
    server.stop()
    // Connections that were not accepted, or whose data were not read, are reset.
    for client in clients { #expect((try? client.readAll()) ?? "" == "") }
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
    let (works, goesOn) = (Gate(), Gate())
    let log = Log<String>()
    let server = try LoopbackServer { request in
      works.open()
      goesOn.wait("stop")
      log.append("handler")
      return Response(pieces: [.call { log.append("piece") }])
    }
    let client = try Client(server)
    client.send("GET / HTTP/1.1\nHost: x\n\nGET / HTTP/1.1\nHost: x\n\n")
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

  @Test("The server can be stopped by several threads and more than once")
  func often() throws {
    let server = try LoopbackServer { _ in .silence }
    let client = try Client(server)
    client.send(get())
    race(Array(repeating: { server.stop() }, count: 4))
    server.stop()
    #expect((try? client.readAll()) ?? "" == "")
    #expect(server.address == "http://127.0.0.1:\(server.port)")
  }

  @Test("The server can be stopped from its own handler")
  func inHandler() throws {
    let own = Locked<LoopbackServer?>(nil)
    let server = try LoopbackServer { _ in
      own.withLock { $0 }?.stop()
      return .text("a")
    }
    own.withLock { $0 = server }
    #expect((try? exchange(server, get())) ?? "" == "")
    own.withLock { $0 = nil }
    server.stop()
  }

  @Test("A server that is released stops and releases its handler")
  func letGo() throws {
    let census = Tracked.Census()
    let own = Locked<LoopbackServer?>(try server { Tracked(census) })
    let client = try Client(port: port(of: own))
    client.send("GET / HTTP/1.1\nHost: x\n\n")
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

  /// Returns a server whose handler holds the only reference to the tracked object.
  private func server(_ make: () -> Tracked) throws -> LoopbackServer {
    let tracked = make()
    return try LoopbackServer { _ in withExtendedLifetime(tracked) { .text("a") } }
  }

  private func port(of own: Locked<LoopbackServer?>) throws -> UInt16 {
    try #require(own.withLock { $0?.port })
  }
}
