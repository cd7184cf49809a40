import LoopbackServer
import TestSupport
import Testing

@Suite struct ResponseTests {
  /// What a client gets that closes after it.
  private func answer(_ response: Response, method: String = "GET") throws -> String {
    try exchange(try LoopbackServer { _ in response }, get(method: method))
  }

  @Test("the server: a response's length is that of its bytes, unless it says otherwise")
  func automatic() throws {
    let response = Response(status: 299, headers: [("A", "b"), ("A", "c")], pieces: [.text("one"), .text("two")])
    #expect(
      try answer(response)
        == "HTTP/1.1 299 Status\nContent-Length: 6\nA: b\nA: c\nConnection: close\n\nonetwo")
  }

  @Test("the server: each piece of a chunked response is one chunk, and none ends it early")
  func chunked() throws {
    let response = Response(pieces: [.text("0123456789"), .bytes([]), .text("two")], framing: .chunked)
    #expect(
      try answer(response) == """
        HTTP/1.1 200 OK
        Transfer-Encoding: chunked
        Connection: close

        a
        0123456789
        3
        two
        0


        """)
  }

  @Test("the server: a response without a length ends with its connection")
  func untilClose() throws {
    let server = try LoopbackServer { _ in Response(pieces: [.text("all")], framing: .untilClose) }
    // The client would keep it.
    let answer = try exchange(server, "GET / HTTP/1.1\nHost: x\n\n")
    #expect(answer == "HTTP/1.1 200 OK\nConnection: close\n\nall")
  }

  @Test("the server: a length that is a lie is announced, and the connection ends behind it", arguments: [2, 4])
  func lie(length: Int) throws {
    let server = try LoopbackServer { _ in Response(pieces: [.text("abc")], framing: .length(length)) }
    let answer = try exchange(server, "GET / HTTP/1.1\nHost: x\n\n")
    #expect(answer == "HTTP/1.1 200 OK\nContent-Length: \(length)\nConnection: close\n\nabc")
  }

  @Test("the server: a length that is true keeps the connection")
  func truth() throws {
    let server = try LoopbackServer { _ in Response(pieces: [.text("abc")], framing: .length(3)) }
    let answer = try exchange(server, "GET / HTTP/1.1\nHost: x\n\n" + get())
    #expect(answer.ranges(of: "HTTP/1.1 200 OK\nContent-Length: 3\n").count == 2)
  }

  @Test("the server: a raw response is what its pieces are", arguments: ["GET", "HEAD"])
  func raw(method: String) throws {
    let response = Response(status: 204, pieces: [.text("no"), .text("thing")], framing: .raw)
    #expect(try answer(response, method: method) == "nothing")
  }

  @Test("the server: HEAD gets the head of what GET would get, and the connection goes on")
  func head() throws {
    let framings: [Response.Framing] = [.automatic, .length(9), .chunked]
    let expected = ["Content-Length: 3", "Content-Length: 9", "Transfer-Encoding: chunked"]
    for (framing, header) in zip(framings, expected) {
      let server = try LoopbackServer { _ in Response(pieces: [.text("abc")], framing: framing) }
      let answer = try exchange(server, "HEAD / HTTP/1.1\nHost: x\n\n" + get(method: "HEAD"))
      let head = "HTTP/1.1 200 OK\n\(header)\n"
      #expect(answer == head + "\n" + head + "Connection: close\n\n")
    }
  }

  @Test(
    "the server: 204 and 304 have no body, whatever the response says", arguments: [204, 304],
    [Response.Framing.automatic, .chunked])
  func bodiless(status: Int, framing: Response.Framing) throws {
    let text = try answer(Response(status: status, pieces: [.text("abc")], framing: framing))
    #expect(text.hasPrefix("HTTP/1.1 \(status) "))
    #expect(text.hasSuffix("\nConnection: close\n\n"))
    #expect(!text.contains("Content-Length") && !text.contains("Transfer-Encoding"))
  }

  @Test("the server: there is a short word for what is answered most")
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
