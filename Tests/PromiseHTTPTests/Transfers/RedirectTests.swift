import PromiseHTTP
import Testing

@Suite("Redirections", .bounded) struct RedirectTests {
  /// Redirects `/0` to `/1` and so on, up to the last number.
  private func exchange(_ status: Int, last: Int = 1, delegate: (any URLSessionDelegate)? = nil) throws -> Exchange {
    try Exchange(delegate: delegate) { request in
      let number = Int(request.target.dropFirst()) ?? 0
      return number == last ? .text("arrived") : .redirect(to: "/\(number + 1)", status: status)
    }
  }

  @Test("A redirection is followed up to the final URL", arguments: Transfer.allCases, [301, 302, 303, 307, 308])
  func followed(_ transfer: Transfer, _ status: Int) async throws {
    let exchange = try exchange(status)
    let response = try await exchange.begin(transfer, "/0").response.value
    #expect(response.status == 200)
    #expect(try response.url == exchange.url("/1"))
    #expect(exchange.asked.count == 2)
    if transfer == .download { #expect(try exchange.folder.bytes(of: "in") == Array("arrived".utf8)) }
  }

  // The body of this response is lost, because Foundation keeps the body of a redirection only if the delegate refuses
  // the redirection (Linux, Swift 6.3.1).
  @Test("A redirection without a location is itself the response", arguments: Transfer.allCases)
  func withoutLocation(_ transfer: Transfer) async throws {
    let exchange = try Exchange { _ in .text("where to?", status: 302) }
    #expect(try await exchange.begin(transfer).response.value.status == 302)
    if transfer == .download { #expect(try exchange.folder.names == ["in"]) }
  }

  @Test("Twenty redirections are followed, and the next redirection is refused", arguments: [20, 21])
  func limit(_ count: Int) async throws {
    let exchange = try exchange(302, last: count)
    let failure = await (try exchange.session.promise(for: exchange.request("/0"))).awaitedError
    #expect((failure as? URLError)?.code == (count == 20 ? nil : .httpTooManyRedirects))
    #expect(exchange.server.requests.count == 21)
  }

  @Test("The session's delegate may refuse or change redirections", arguments: Transfer.allCases)
  func asked(_ transfer: Transfer) async throws {
    for other in [nil, "/5"] {
      let delegate = AskedDelegate(redirectsTo: other)
      let exchange = try exchange(302, last: 5, delegate: delegate)
      let response = try await exchange.begin(transfer, "/0").response.value
      #expect(response.status == (other == nil ? 302 : 200))
      if let other { #expect(try response.url == exchange.url(other)) }
      #expect(delegate.redirections.entries == ["302 /1"])
      #expect(exchange.asked.count == (other == nil ? 1 : 2))
    }
  }
}

@Suite("Requests that follow a redirection", .bounded) struct RedirectedRequestTests {
  /// Redirects `/start` to a location, and answers everything else.
  private func exchange(_ status: Int, to location: String = "/end") throws -> Exchange {
    try Exchange { request in
      request.path.hasSuffix("/start") ? .redirect(to: location, status: status) : .text("arrived")
    }
  }

  @Test(
    "A redirection keeps the method and the body, or becomes GET without the body and the headers that describe it",
    arguments: [
      ("GET", 302, "GET"), ("POST", 307, "POST"), ("POST", 308, "POST"), ("PUT", 301, "PUT"), ("PUT", 302, "PUT"),
      ("PUT", 307, "PUT"), ("PATCH", 308, "PATCH"), ("DELETE", 301, "DELETE"), ("POST", 301, "GET"),
      ("POST", 302, "GET"), ("POST", 303, "GET"), ("PUT", 303, "GET"), ("DELETE", 303, "GET"), ("HEAD", 301, "HEAD"),
      ("HEAD", 302, "HEAD"), ("HEAD", 303, "HEAD"), ("HEAD", 307, "HEAD"), ("HEAD", 308, "HEAD"),
    ])
  func method(_ method: String, _ status: Int, _ next: String) async throws {
    let exchange = try exchange(status)
    var request = try exchange.request("/start", method: method)
    let body = ["GET", "HEAD"].contains(method) ? "" : "body"
    if !body.isEmpty { request.httpBody = Data(body.utf8) }
    request.setValue("text/x", forHTTPHeaderField: "content-type")
    request.setValue("kept", forHTTPHeaderField: "X-Other")
    if method != next { request.setValue("4", forHTTPHeaderField: "Content-Length") }
    _ = try await exchange.session.promise(for: request).value
    #expect(exchange.asked == ["\(method) /start", "\(next) /end"])
    let requests = exchange.server.requests
    #expect(requests.map(\.bodyText) == [body, method == next ? body : ""])
    #expect(requests.map { $0["Content-Type"] } == ["text/x", method == next ? "text/x" : nil])
    #expect(requests.map { $0["X-Other"] } == ["kept", "kept"])
    if method != next { #expect(requests.last?["Content-Length"] == nil) }
    if method == "GET" { #expect(requests.map(\.connection) == [0, 0], "the connection is kept") }
  }

  @Test(
    "A location is resolved against the URL of the redirected request, and inherits its fragment if it has none",
    arguments: [
      ("/a/start?old", "end", "/a/end", nil), ("/a/start?old", "./b/../end", "/a/end", nil),
      ("/a/start?old", "../end", "/end", nil), ("/a/start?old", "/end", "/end", nil),
      ("/a/start?old", "?x=1", "/a/start?x=1", nil), ("/a/start?old", "/e%2Fd?x=%20y", "/e%2Fd?x=%20y", nil),
      ("/a/start?old", "end#part", "/a/end", "part"), ("/start#there", "/end", "/end", "there"),
      ("/start#there", "/end#here", "/end", "here"),
    ] as [(String, String, String, String?)])
  func locations(_ start: String, _ location: String, _ target: String, _ fragment: String?) async throws {
    let count = Locked(0)
    let exchange = try Exchange { _ in count.increment() == 1 ? .redirect(to: location) : .text("arrived") }
    let (_, response) = try await exchange.session.promise(for: exchange.request(start)).value
    #expect(response.url?.fragment == fragment)
    #expect(exchange.server.requests.map(\.target) == [start.replacing("#there", with: ""), target])
  }

  @Test(
    "White space around a location, and the case of the location's scheme, do not matter",
    arguments: ["/end \t", "\t  /end", "HTTP://host/end", "Http://host/end\t"], [false, true])
  func writtenOtherwise(_ location: String, _ isAsked: Bool) async throws {
    let delegate = UndecidedDelegate { question in
      var request = question.request
      request.url = request.url.flatMap { URL(string: $0.absoluteString.replacing("http:", with: "HTTP:")) }
      question.answer(request)
    }
    let exchange = try Exchange(delegate: isAsked ? delegate : nil) { request in
      guard request.path == "/start" else { return .text("arrived") }
      return .redirect(to: location.replacing("host", with: request["Host"] ?? ""), status: 307)
    }
    let request = HTTPRequest.post(exchange.server.address + "/start").header("Authorization", "x").body(Data([1]))
    let response = try await exchange.session.promise(for: request).value
    #expect(try response.url == exchange.url("/end"))
    #expect(exchange.asked == ["POST /start", "POST /end"])
    // The origin is the same.
    #expect(exchange.server.requests.last?["Authorization"] == "x")
  }

  @Test(
    "A redirection to a scheme other than HTTP rejects with URLError.unsupportedURL",
    arguments: ["ftp://127.0.0.1/end", "data:text/plain,end", "mailto:ada@host", "file:///etc/hostname"])
  func otherScheme(_ location: String) async throws {
    let exchange = try exchange(302, to: location)
    let failure = await (try exchange.session.promise(for: exchange.request("/start"))).awaitedError
    #expect((failure as? URLError)?.code == .unsupportedURL)
    #expect(exchange.server.requests.count == 1)
  }

  @Test("A redirection that requires a stream again rejects with requestBodyStreamExhausted", arguments: [303, 307])
  func stream(_ status: Int) async throws {
    let exchange = try exchange(status)
    var request = try exchange.request("/start", method: "POST")
    request.httpBodyStream = InputStream(data: Data("body".utf8))
    let failure = await exchange.session.promise(for: request).awaitedError
    #expect((failure as? URLError)?.code == (status == 303 ? nil : .requestBodyStreamExhausted))
    #expect(exchange.asked == (status == 303 ? ["POST /start", "GET /end"] : ["POST /start"]))
  }
}
