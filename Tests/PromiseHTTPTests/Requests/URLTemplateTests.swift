import PromiseHTTP
import Testing

@Suite("Values in URL templates", .bounded) struct URLTemplateTests {
  private func url(_ template: String, _ values: HTTPRequest.Values = [:]) throws -> String? {
    try HTTPRequest.get(template, values).urlRequest().url?.absoluteString
  }

  @Test("A value replaces its name, and all characters but letters, digits and -._~ are escaped")
  func everyCharacter() throws {
    for byte in UInt8(0)..<128 {
      let character = String(UnicodeScalar(byte))
      let isPlain = byte.isLetterOrDigit || "-._~".contains(character)
      let hex = String(byte, radix: 16, uppercase: true)
      let expected = isPlain ? character : "%" + (hex.count == 1 ? "0" : "") + hex
      #expect(try url("http://host/a{x}b", ["x": character]) == "http://host/a\(expected)b")
      #expect(try url("http://host/?q={x}", ["x": character]) == "http://host/?q=\(expected)")
    }
  }

  @Test(
    "A value always stays within one part of the URL",
    arguments: [
      ("a/b", "a%2Fb"), ("../..", "..%2F.."), ("100%", "100%25"), ("%2F", "%252F"), ("a b", "a%20b"),
      ("grüße", "gr%C3%BC%C3%9Fe"), ("🙂", "%F0%9F%99%82"), ("", ""), ("?a=b#c", "%3Fa%3Db%23c"), ("{y}", "%7By%7D"),
      ("}{", "%7D%7B"), ("a\r\nb", "a%0D%0Ab"), ("e\u{301}", "e%CC%81"),
    ])
  func texts(_ value: String, _ escaped: String) throws {
    #expect(try url("http://host/a/{x}/b", ["x": value]) == "http://host/a/\(escaped)/b")
  }

  @Test(
    "A value that is or completes a dot segment of the path is refused, even if dots are escaped",
    arguments: [
      ("/a/{x}/b", "."), ("/a/{x}/b", ".."), ("/{x}", ".."), ("/a/{x}?q=1", "."), ("/%2e{x}", "."), ("/%2E{x}", "."),
      ("/{x}%2e", "."), ("/a/%2e{x}/b", "."), ("/.{x}", "."), ("/.%2{x}", "e"), ("/%2{x}", "E"), ("/%2e%2{x}?q", "e"),
      ("/%{x}e.", "2"), ("/%2e{x}", ""), ("/..{x}", ""), ("/{x}%2E#f", ""), ("/%2e{x}.", ""), ("/{x/../y}", ".."),
      ("/{x?}/a", ".."),
    ])
  func encodedDots(_ path: String, _ value: String) {
    let name = path.contains("{x/") ? "x/../y" : path.contains("{x?}") ? "x?" : "x"
    // The name is "x", except in two paths whose names look like parts of a URL.
    let request = HTTPRequest(.get, "http://host" + path, KeyValuePairs(dictionaryLiteral: (name, value)))
    #expect(request.refusal?.caseName == "HTTPRequestError.dotSegment")
  }

  @Test(
    "Dots that form no segment, and dot segments of the template itself, stay unchanged",
    arguments: [
      ("/%2e{x}", "a", "/%2ea"), ("/%2e%2e{x}", ".", "/%2e%2e."), ("/%2e%2e/{x}", "a", "/%2e%2e/a"),
      ("/./../{x}", "a", "/./../a"), ("/a?q=/%2e{x}", ".", "/a?q=/%2e."), ("/a#/{x}", "..", "/a#/.."),
      ("/%2e{x}", "%2e", "/%2e%252e"), ("/a{x}/", "..", "/a../"), ("/?q={x}", "..", "/?q=.."),
    ])
  func otherDots(_ path: String, _ value: String, _ filled: String) throws {
    #expect(try url("http://host" + path, ["x": value]) == "http://host" + filled)
  }

  @Test(
    "The server receives the value unchanged",
    arguments: ["a/b", "100%", "%41", "a b", "grüße", "🙂", "a?b#c", "{y}", "a+b", ";=&"])
  func arriving(_ value: String) async throws {
    let exchange = try Exchange { .text($0.path) }
    let request = HTTPRequest.get(exchange.server.address + "/x{v}y", ["v": value])
    #expect(try await exchange.session.promise(for: request).value.text == "/x\(value)y")
  }

  @Test("Values are written as text in each part of the URL, and the URL's own escapes stay unchanged")
  func kinds() throws {
    let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(
      try url("http://host/{a}/{b}/{c}/{d}", ["a": 7, "b": 1.5, "c": true, "d": id])
        == "http://host/7/1.5/true/E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    #expect(
      try url("http://{h}/{x}/{x}?{x}={x}#{x}", ["x": "a b", "h": "host"])
        == "http://host/a%20b/a%20b?a%20b=a%20b#a%20b")
    let escaped = "http://host/a%20b%2Fc/%C3%BC?a=%26#%20"
    #expect(try url(escaped) == escaped)
  }

  @Test("A name without a value is an error that states the name", arguments: ["x", "", " ", "a b", "{", "Y"])
  func missing(_ name: String) {
    let template = "http://host/{y}/{\(name)}"
    let error = HTTPRequest.get(template, ["y": 1]).refusal as? HTTPRequestError
    let isExpected = if case .missingValue(name: name, url: template) = error { true } else { false }
    #expect(isExpected, "\(String(describing: error))")
  }

  @Test(
    "An unbalanced brace is an error",
    arguments: ["http://host/{x", "http://host/x}", "http://host/}x{", "http://host/{x}}", "{", "}"])
  func unbalanced(_ template: String) {
    #expect(HTTPRequest.get(template, ["x": 1]).refusal?.caseName == "HTTPRequestError.unbalancedBrace")
  }
}

@Suite("Invalid URLs", .bounded) struct InvalidURLTests {
  @Test(
    "A text that is not an http or https URL rejects every kind of request with invalidURL, and nothing is written",
    arguments: [
      "", " ", "host", "/path", "//host/path", "host/path", "http", "http:", "http:/", "http://", "http:///path",
      "http://?q", "http://#f", "http:host", "ftp://host/a", "file:///etc/passwd", "data:,a", "javascript:alert(1)",
      "mailto:a@b", "ws://host", "httpx://host", "http://ho st/", "http://host/a b", " http://host", "http://host ",
      "http://host:port/", "http://[::1/", "http://host/\u{0}", "http://host/\r\nX: y", "http://host/%",
      "http://host/%zz", "http://host/a\\b", "http://host/<a>", "http://host/\"", "http://host/grüße",
      "http://user name@host/", "http://host/^",
    ])
  func rejects(_ text: String) throws {
    let folder = try Folder()
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    let file = try folder.write([1], to: "in")
    let request = HTTPRequest.get(text)
    let errors = [
      session.promise(for: request).error, session.promise(for: request, downloadingTo: file).error,
      session.stream(for: request).error, session.promise(for: request.query(["a": 1])).error,
    ]
    for error in errors {
      let isExpected = if case .invalidURL(text) = error as? HTTPRequestError { true } else { false }
      #expect(isExpected, "\(text.debugDescription): \(String(describing: error))")
    }
    #expect(try folder.names == ["in"])
    #expect(try folder.bytes(of: "in") == [1])
  }

  @Test(
    "A value in the host changes neither the rest of the host nor the path",
    arguments: ["a/b", "user@evil", "evil:80", "a b", "", "?", "#", "\\"])
  func host(_ value: String) throws {
    // Escapes are legal in a host, and are then part of its name.
    let url = try? HTTPRequest.get("http://{h}.example/p", ["h": value]).urlRequest().url
    if let url { #expect(url.host?.hasSuffix(".example") == true) }
    if let url { #expect(url.path == "/p") }
  }

  @Test("The scheme of a URL is http or https, in any case", arguments: ["HTTP", "Http", "https", "HTTPS"])
  func scheme(_ name: String) throws {
    let request = HTTPRequest.get("\(name)://{user}@host/A?b#c", ["user": "Ada"])
    let end = "://Ada@host/A?b"
    #expect(try request.urlRequest().url?.absoluteString == "\(name.lowercased())\(end)#c")
    #expect(try request.query(["d": 1]).urlRequest().url?.absoluteString == "\(name.lowercased())\(end)&d=1#c")
  }

  @Test("A request whose scheme has capital letters is sent", arguments: Transfer.allCases)
  func capitalScheme(_ transfer: Transfer) async throws {
    let exchange = try Exchange { .text($0.target) }
    let address = exchange.server.address.replacing("http", with: "HTtP")
    let request = URLRequest(url: try #require(URL(string: address + "/A?b=c")))
    let response = try await transfer.begin(request, in: exchange.session, folder: exchange.folder).response.value
    #expect(response.status == 200)
    let (chunks, body) = AsyncStream<Data>.makeStream()
    body.finish()
    let stream = exchange.session.stream(for: .put(address + "/s").body(chunks: chunks))
    #expect(try await stream.value.response.status == 200)
    #expect(exchange.server.requests.map(\.target) == ["/A?b=c", "/s"])
  }

  @Test(
    "The target of a request has no fragment and at least a slash",
    arguments: [("", "/"), ("/", "/"), ("#f", "/"), ("?q", "/?q"), ("/a#f", "/a"), ("/a/../b", "/b"), ("//a", "//a")])
  func targets(_ end: String, _ target: String) async throws {
    let exchange = try Exchange { .text($0.target) }
    #expect(try await exchange.session.promise(for: .get(exchange.server.address + end)).value.text == target)
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    let character = Character(UnicodeScalar(self))
    return character.isLetter || character.isNumber
  }
}
