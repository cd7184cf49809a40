import LoopbackServer
import Testing

@Suite struct BasicTests {
  @Test("the server: a request gets its handler's answer")
  func get() throws {
    let server = try LoopbackServer { .text("you asked for \($0.path)") }
    let client = try Client(server)
    client.send("GET /a HTTP/1.1\nHost: x\nConnection: close\n\n")
    #expect(client.readAll().hasSuffix("\r\n\r\nyou asked for /a"))
  }

  @Test("the server: a handler sees the body of a request")
  func post() throws {
    let server = try LoopbackServer { .text("\($0.method) \($0.bodyText)", status: 201) }
    let client = try Client(server)
    client.send("POST /a HTTP/1.1\nHost: x\nConnection: close\nContent-Length: 5\n\nhello")
    let answer = client.readAll()
    #expect(answer.hasPrefix("HTTP/1.1 201 Created\r\n"))
    #expect(answer.hasSuffix("\r\n\r\nPOST hello"))
    #expect(server.requests.map(\.bodyText) == ["hello"])
  }
}
