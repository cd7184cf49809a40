import LoopbackServer
import TestSupport
import Testing

@Suite struct ConnectionTests {
  private let once = "GET / HTTP/1.1\nHost: x\n\n"

  @Test("The server answers many requests on one connection, one after the other")
  func keepAlive() throws {
    let server = try LoopbackServer { .text($0.path) }
    let client = try Client(server)
    for number in 0..<20 {
      let path = "/\(number)"
      client.send("POST \(path) HTTP/1.1\nHost: x\nContent-Length: 3\n\nabc")
      #expect(try !client.readHead().contains("Connection"))
      #expect(try client.read(path.count) == path)
    }
    #expect(Set(server.requests.map(\.connection)) == [0])
  }

  @Test("The server answers pipelined requests in order")
  func pipelining() throws {
    let server = try LoopbackServer { .text("<\($0.path) \($0.bodyText)>") }
    let answer = try exchange(
      server,
      """
      POST /a HTTP/1.1
      Host: x
      Content-Length: 3

      one

      POST /b HTTP/1.1
      Host: x
      Transfer-Encoding: chunked

      3
      two
      0

      GET /c HTTP/1.1
      Host: x
      Connection: close


      """)
    #expect(
      answer.split(separator: "\n").filter { $0.hasPrefix("<") } == [
        "</a one>HTTP/1.1 200 OK", "</b two>HTTP/1.1 200 OK", "</c >",
      ])
  }

  @Test(
    "The server answers a client that asks to close, and then closes the connection",
    arguments: ["close", "Foo, CLOSE"])
  func closedByRequest(value: String) throws {
    let server = try LoopbackServer { _ in .text("a") }
    let answer = try exchange(server, "GET / HTTP/1.1\nHost: x\nConnection: \(value)\n\n" + once)
    #expect(answer.hasSuffix("Connection: close\n\na"))
    #expect(server.requests.count == 1)
  }

  @Test("A response that asks to close ends the connection, and its Connection header is sent once")
  func closedByResponse() throws {
    let server = try LoopbackServer { _ in Response(headers: [("connection", "close")]) }
    #expect(try exchange(server, once + once) == "HTTP/1.1 200 OK\nContent-Length: 0\nconnection: close\n\n")
  }

  @Test("A client of HTTP/1.0 needs no Host header and gets one response")
  func old() throws {
    let server = try LoopbackServer { _ in .text("a") }
    #expect(try exchange(server, "GET / HTTP/1.0\n\n" + once).hasSuffix("Connection: close\n\na"))
  }

  @Test("A client that has closed its sending side still gets its responses")
  func halfClosed() throws {
    let server = try LoopbackServer { _ in .text("a") }
    let client = try Client(server)
    client.send(once + once)
    client.endWriting()
    #expect(try client.readAll().ranges(of: "HTTP/1.1 200 OK").count == 2)
  }

  @Test("The server serves a hundred connections at once, even if their handlers block")
  func hundred() throws {
    let all = Gate()
    let arrived = Locked(0)
    let server = try LoopbackServer { request in
      if arrived.increment() == 100 { all.open() }
      all.wait("gate of all requests")
      return .text(request.path)
    }
    let clients = try (0..<100).map { _ in try Client(server) }
    for (number, client) in clients.enumerated() { client.send(get("/\(number)")) }
    for (number, client) in clients.enumerated() { #expect(try client.readAll().hasSuffix("\n\n/\(number)")) }
  }
}
