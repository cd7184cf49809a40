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

  @Test("A server that records no requests answers them", arguments: [(true, 1), (false, 0)])
  func unrecorded(isRecording: Bool, count: Int) throws {
    let server = try LoopbackServer(recordsRequests: isRecording) { _ in .empty() }
    let answer = try exchange(server, get("/"))
    #expect(answer.hasPrefix("HTTP/1.1 204 "))
    #expect(server.requests.count == count)
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
    #expect([request.method, request.target, request.path, request.query] == ["PATCH", target, path, query])
    #expect(request.body.isEmpty)
  }

  @Test("Headers keep their order and are found regardless of case")
  func headers() throws {
    let request = try arrived(
      "GET / HTTP/1.1\nHost: x\nconnection: close\nX-One: \t 1 : a \t\nx-two:\nX-ONE: again\n\n")
    #expect(request.headers.map(\.name) == ["Host", "connection", "X-One", "x-two", "X-ONE"])
    #expect(request.headers.map(\.value) == ["x", "close", "1 : a", "", "again"])
    #expect(["x-oNE", "x-two", "x-three"].map { request[$0] } == ["1 : a", "", nil])
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

@Suite struct RefusalTests {
  /// Returns the status of the only answer to a request. After the answer the server closes its end. The handler must
  /// not see the request.
  private func status(_ request: String, headLimit: Int = 1_000, bodyLimit: Int = 1_000) throws -> Int? {
    let server = try LoopbackServer(headLimit: headLimit, bodyLimit: bodyLimit) { _ in .empty() }
    // The second request, on the same connection, is not answered.
    let answer = try exchange(server, request + keeping)
    #expect(server.requests.isEmpty)
    #expect(answer.contains("Connection: close\n"))
    #expect(answer.ranges(of: "HTTP/1.1").count == 1)
    return Int(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
  }

  @Test(
    "A malformed request is answered with 400, and the connection ends",
    arguments: [
      "nonsense\n\n", "GET /\n\n", "GET  / HTTP/1.1\nHost: x\n\n", "GET / / HTTP/1.1\nHost: x\n\n",
      "G:T / HTTP/1.1\nHost: x\n\n", "GET / FTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\n\n",
      "GET / HTTP/1.1\nHost: x\nHost: x\n\n", "GET / HTTP/1.1\nHost: x\nno colon\n\n",
      "GET / HTTP/1.1\nHost: x\n: y\n\n", "GET / HTTP/1.1\nHost: x\nA : y\n\n",
      "GET / HTTP/1.1\nHost: x\nA: y\n folded\n\n", "GET / HTTP/1.1\nHost: x\nA: \u{0}\n\n",
      "POST / HTTP/1.1\nHost: x\nContent-Length: 1a\n\n", "POST / HTTP/1.1\nHost: x\nContent-Length: +1\n\n",
      "POST / HTTP/1.1\nHost: x\nContent-Length: -1\n\n", "POST / HTTP/1.1\nHost: x\nContent-Length:\n\n",
      "POST / HTTP/1.1\nHost: x\nContent-Length: 99999999999999999999\n\n",
      "POST / HTTP/1.1\nHost: x\nContent-Length: 1\nContent-Length: 2\n\n",
      "POST / HTTP/1.1\nHost: x\nContent-Length: 1\nTransfer-Encoding: chunked\n\n1\na\n0\n\n",
      "POST / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\nx\n",
      "POST / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n-1\n",
      "POST / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n1\nabc\n0\n\n",
    ])
  func malformed(request: String) throws { #expect(try status(request) == 400) }

  @Test("A line that ends without a carriage return is malformed")
  func bareLineFeed() throws {
    let server = try LoopbackServer { _ in .empty() }
    let client = try Client(server)
    client.send(bytes: Array("GET / HTTP/1.1\nHost: x\n\n".utf8))
    #expect(try client.readAll().hasPrefix("HTTP/1.1 400 "))
  }

  @Test(
    "The server answers unsupported requests with 505 or 501",
    arguments: [
      ("GET / HTTP/2.0\nHost: x\n\n", 505), ("POST / HTTP/1.1\nHost: x\nTransfer-Encoding: gzip, chunked\n\n", 501),
    ])
  func unable(request: String, code: Int) throws { #expect(try status(request) == code) }

  @Test("A head above the limit is answered with 431, and a body above the limit with 413")
  func limits() throws {
    let long = String(repeating: "a", count: 1_000)
    #expect(try status("GET / HTTP/1.1\nHost: x\nA: \(long)\n\n") == 431)
    #expect(try status("GET / HTTP/1.1\nHost: x\n" + String(repeating: "A: b\n", count: 200)) == 431)
    #expect(try status("GET /\(long) HTTP/1.1\nHost: x\n\n") == 431)
    // The server does not wait for the end of a line that is already too long.
    #expect(try status(long + long) == 431)
    #expect(try status("POST / HTTP/1.1\nHost: x\nContent-Length: 11\n\n", bodyLimit: 10) == 413)
    let chunks = "POST / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n6\nabcdef\n"
    #expect(try status(chunks + "5\nabcde\n0\n\n", bodyLimit: 10) == 413)
    #expect(try status(chunks + "7fffffffffffffff\n", bodyLimit: 10) == 413)
  }

  @Test("A head and a body of exactly the limit are accepted")
  func atTheLimit() throws {
    let head = "POST / HTTP/1.1\nHost: x\nConnection: close\nContent-Length: 10\n\n"
    let size = head.replacing("\n", with: "\r\n").utf8.count
    for (limit, status) in [(size, 204), (size - 1, 431)] {
      let server = try LoopbackServer(headLimit: limit, bodyLimit: 10) { _ in .empty() }
      #expect(try exchange(server, head + "0123456789").hasPrefix("HTTP/1.1 \(status) "))
    }
  }

  @Test("A client that sends a body far above the limit still gets the response")
  func unread() throws {
    let server = try LoopbackServer(bodyLimit: 10) { _ in .empty() }
    let client = try Client(server)
    client.send("POST / HTTP/1.1\nHost: x\nContent-Length: 8000000\n\n")
    client.send(bytes: [UInt8](repeating: 0, count: 8_000_000))
    #expect(try client.readAll().hasPrefix("HTTP/1.1 413 "))
  }

  @Test("An incomplete request is neither answered nor listed")
  func incomplete() throws {
    let server = try LoopbackServer { _ in .empty() }
    for part in ["", "GET", "GET / HTTP/1.1\nHost: x\n", "POST / HTTP/1.1\nHost: x\nContent-Length: 2\n\na"] {
      let client = try Client(server)
      client.send(part)
      client.endWriting()
      #expect(try client.readAll().isEmpty)
    }
    #expect(server.requests.isEmpty)
  }
}
