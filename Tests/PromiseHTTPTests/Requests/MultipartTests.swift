import Testing

@testable import PromiseHTTP

@Suite("Forms with parts", .bounded) struct MultipartTests {
  private func text(_ parts: [FormPart]) throws -> String {
    String(decoding: try MultipartForm(parts, boundary: "B").data(), as: UTF8.self)
  }

  @Test("Parts are written with their names and types, and a form without parts has only the end")
  func parts() throws {
    #expect(try text([]) == "--B--\r\n")
    let text = try text([
      .value("title", "Lake"), .value("count", 7), .data("raw", Data("\r\n--B\r\n".utf8)),
      .data("photo", Data("jpg".utf8), fileName: "a b.jpg", type: "image/jpeg"),
    ])
    #expect(
      text == """
        --B\r
        Content-Disposition: form-data; name="title"\r
        \r
        Lake\r
        --B\r
        Content-Disposition: form-data; name="count"\r
        \r
        7\r
        --B\r
        Content-Disposition: form-data; name="raw"\r
        Content-Type: application/octet-stream\r
        \r
        \r
        --B\r
        \r
        --B\r
        Content-Disposition: form-data; name="photo"; filename="a b.jpg"\r
        Content-Type: image/jpeg\r
        \r
        jpg\r
        --B--\r

        """)
  }

  @Test(
    "Names are escaped as browsers do it",
    arguments: [
      ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nX: y", "a%0AX: y"), ("grüß", "grüß"), ("a\\b%22;=", "a\\b%22;="),
      ("", ""), ("\r\n\r\n--B--", "%0D%0A%0D%0A--B--"), ("e\u{301}\r\u{301}", "e\u{301}%0D\u{301}"),
    ])
  func names(_ name: String, _ escaped: String) throws {
    let text = try text([.data(name, Data(), fileName: name, type: "text/plain")])
    #expect(
      text.contains("name=\"\(escaped)\"; filename=\"\(escaped)\"\r\nContent-Type: text/plain\r\n\r\n\r\n--B--\r\n"))
  }

  @Test("Each form has a boundary of its own, which is a token of at most 70 characters")
  func boundary() {
    let boundaries = (0..<100).map { _ in MultipartForm([]).boundary }
    #expect(Set(boundaries).count == 100)
    for boundary in boundaries {
      #expect(boundary.utf8.count <= 70)
      #expect(boundary.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
    }
  }

  @Test("A form with files is sent whole, again after a redirection, and has progress", arguments: [false, true])
  func files(_ isStreamed: Bool) async throws {
    let exchange = try Exchange { $0.path == "/old" ? .redirect(to: "/new", status: 308) : .text("ok") }
    let parts: [FormPart] = [
      .value("title", "Lake"), .file("empty", at: try exchange.folder.write([], to: "empty")),
      .file("photo", at: try exchange.folder.write(pattern(200_000), to: "photo.jpg"), type: "image/jpeg"),
      .file(
        "note", at: try exchange.folder.write(Array("note".utf8), to: "note.txt"), fileName: "n\".txt",
        type: "text/plain"),
    ]
    let request = HTTPRequest.post(exchange.server.address + "/old").multipart(parts)
    if isStreamed {
      let stream = try await exchange.session.stream(for: request).value
      #expect(try await Array(stream.lines) == ["ok"])
    } else {
      let promise = exchange.session.promise(for: request)
      #expect(try await promise.value.text == "ok")
      #expect(promise.progress == 1)
    }
    #expect(exchange.asked == ["POST /old", "POST /new"])
    let body = try #require(try request.urlRequest().httpBody)
    for seen in exchange.server.requests {
      let type = try #require(seen["Content-Type"])
      #expect(type.hasPrefix("multipart/form-data; boundary=part-"))
      let boundary = String(type.dropFirst("multipart/form-data; boundary=".count))
      #expect(seen.body == Array(try MultipartForm(parts, boundary: boundary).data()))
      #expect(seen["Content-Length"] == "\(seen.body.count)")
      #expect(Data(seen.body) == body)
    }
    #expect(String(decoding: body, as: UTF8.self).contains(#"name="note"; filename="n%22.txt""#))
    #expect(String(decoding: body, as: UTF8.self).contains(#"name="photo"; filename="photo.jpg""#))
  }

  @Test("A form without files is sent as data")
  func data() async throws {
    let seen = try await received { .post($0).multipart([.value("a", "b")]) }
    #expect(seen.bodyText.contains("name=\"a\"\r\n\r\nb\r\n--"))
  }
}
