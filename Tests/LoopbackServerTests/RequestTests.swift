import LoopbackServer
import TestSupport
import Testing

@Suite struct RequestTests {
  /// Sends a request to a new server, and returns the request that arrives.
  private func arrived(_ request: String) throws -> Request {
    let server = try LoopbackServer { _ in .empty() }
    _ = try exchange(server, request)
    return try #require(server.requests.first)
  }

  @Test(
    "A handler sees the method, the target, the decoded path and the query",
    arguments: [
      ("/a%20b/%C3%BC%2F?x=%20&y=1?z", "/a b/ü/", "x=%20&y=1?z"), ("/", "/", ""), ("/100%", "/100%", ""),
      ("/%4", "/%4", ""), ("/%zz%41", "/%zzA", ""), ("/?", "/", ""), ("/%+1", "/%+1", ""), ("*", "*", ""),
      ("http://x:80/a?b", "/a", "b"), ("/a?u=http://x/y", "/a", "u=http://x/y"),
    ])
  func targets(target: String, path: String, query: String) throws {
    let request = try arrived(get(target, method: "PATCH"))
    #expect(request.method == "PATCH")
    #expect(request.target == target)
    #expect(request.path == path)
    #expect(request.query == query)
    #expect(request.body.isEmpty)
  }

  @Test("Headers keep their order and are found regardless of case")
  func headers() throws {
    let request = try arrived(
      "GET / HTTP/1.1\nHost: x\nconnection: close\nX-One: \t 1 : a \t\nx-two:\nX-ONE: again\n\n")
    #expect(request.headers.map(\.name) == ["Host", "connection", "X-One", "x-two", "X-ONE"])
    #expect(request.headers.map(\.value) == ["x", "close", "1 : a", "", "again"])
    #expect(request["x-oNE"] == "1 : a")
    #expect(request["x-two"]?.isEmpty == true)
    #expect(request["x-three"] == nil)
  }

  @Test("A body is as long as its Content-Length says")
  func length() throws {
    let request = try arrived(
      "POST / HTTP/1.1\nHost: x\nConnection: close\nContent-Length: 5\nContent-Length: 5\n\nhüllo")
    #expect(request.body == Array("hüll".utf8))
    #expect(request.bodyText == "hüll")
  }

  @Test("A chunked body is assembled without extensions and trailers, even if it arrives byte by byte")
  func chunked() throws {
    let server = try LoopbackServer { _ in .empty() }
    let client = try Client(server)
    let head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
    let body = "3;a=b\r\none\r\n0A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
    for byte in (head + body).utf8 { client.send(bytes: [byte]) }
    client.endWriting()
    #expect(try client.readAll().hasPrefix("HTTP/1.1 204 "))
    let request = try #require(server.requests.first)
    #expect(request.bodyText == "one0123456789")
    #expect(request["Trailer"] == nil)
  }

  @Test("A client that expects 100 Continue gets it before it sends the body", arguments: [true, false])
  func expectation(chunked: Bool) throws {
    let server = try LoopbackServer { .text($0.bodyText) }
    let client = try Client(server)
    client.send("POST / HTTP/1.1\nHost: x\nConnection: close\nExpect: 100-Continue\n")
    client.send(chunked ? "Transfer-Encoding: chunked\n\n" : "Content-Length: 3\n\n")
    #expect(try client.readHead() == "HTTP/1.1 100 Continue\n\n")
    #expect(server.requests.isEmpty)
    client.send(chunked ? "3\nabc\n0\n\n" : "abc")
    #expect(try client.readAll().hasSuffix("\n\nabc"))
  }

  @Test("A request without a body gets no 100 Continue")
  func expectationOfNothing() throws {
    let server = try LoopbackServer { _ in .empty() }
    let answer = try exchange(server, "GET / HTTP/1.1\nHost: x\nConnection: close\nExpect: 100-continue\n\n")
    #expect(answer.hasPrefix("HTTP/1.1 204 "))
  }

  @Test("Requests are listed in the order in which they arrived, with their connections")
  func order() throws {
    let server = try LoopbackServer { _ in .empty() }
    let clients = try [Client(server), Client(server)]
    for (index, target) in [(0, "/a"), (1, "/b"), (0, "/c")] {
      clients[index].send("GET \(target) HTTP/1.1\nHost: x\n\n")
      _ = try clients[index].readHead()
    }
    #expect(server.requests.map(\.path) == ["/a", "/b", "/c"])
    #expect(server.requests.map(\.connection) == [0, 1, 0])
  }
}
