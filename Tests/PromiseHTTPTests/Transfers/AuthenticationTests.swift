import PromiseHTTP
import Testing

@Suite("Responses that require a credential", .bounded) struct AuthenticationTests {
  /// The framings of the body of a refusal, with the numbers of its bytes.
  private static let bodies: [(framing: Response.Framing, count: Int)] = [
    (.automatic, 0), (.automatic, 12), (.automatic, 200_000), (.chunked, 3), (.untilClose, 3),
  ]

  @Test("A 401 with or without a challenge fulfils the promise and does not hang", arguments: Transfer.allCases, bodies)
  func unanswered(_ transfer: Transfer, _ body: (framing: Response.Framing, count: Int)) async throws {
    let pieces = [Piece.bytes(pattern(body.count))]
    let refusals = [
      Response.challenge(pieces, framing: body.framing), Response(status: 401, pieces: pieces, framing: body.framing),
    ]
    for refusal in refusals {
      let exchange = try Exchange { _ in refusal }
      let response = try await exchange.begin(transfer).response.value
      #expect(response.status == 401)
      #expect(response["WWW-Authenticate"] == refusal.headers.first?.1)
      #expect(exchange.server.requests.count == 1)
    }
  }

  @Test("A 401 with a challenge fulfils the promise with its body, or without a body after HEAD", arguments: bodies)
  func body(_ framing: Response.Framing, _ count: Int) async throws {
    let exchange = try Exchange { _ in .challenge([.bytes(pattern(count))], framing: framing) }
    for method in ["GET", "HEAD"] {
      let (data, response) = try await exchange.session.promise(for: exchange.request(method: method)).value
      #expect(response.status == 401)
      #expect(Array(data) == (method == "GET" ? pattern(count) : []))
    }
  }

  private static let refusals: [Response] =
    [
      "Bearer", "Bearer error=\"invalid_token\"", "Negotiate", "Digest realm=\"r\", nonce=\"n\"", "Bearer realm=\"r\"",
      "", "basic REALM=r",
    ].map { Response(status: 401, headers: [("WWW-Authenticate", $0)], pieces: [.bytes(pattern(12))]) }
    + [Response.challenge([.bytes(gzipped)], headers: [("Content-Encoding", "gzip")])]

  @Test(
    "A 401 with any kind of challenge, or with a compressed body, fulfils the promise instead of hanging",
    arguments: Transfer.allCases, refusals)
  func kinds(_ transfer: Transfer, _ refusal: Response) async throws {
    let exchange = try Exchange { _ in refusal }
    #expect(try await exchange.begin(transfer).response.value.status == 401)
  }

  @Test("A challenge with an incomplete body rejects with URLError", arguments: Transfer.allCases, [true, false])
  func cut(_ transfer: Transfer, _ isReset: Bool) async throws {
    let pieces: [Piece] = isReset ? [.text("who "), .cut] : [.text("who ")]
    let exchange = try Exchange { _ in .challenge(pieces, framing: .length(100)) }
    #expect(await (try exchange.begin(transfer)).response.awaitedError is URLError)
  }
}

@Suite("Delegates that are asked for a credential", .bounded) struct CredentialTests {
  @Test(
    "The answer of the session's delegate decides whether a challenged request is sent again, fails or ends with the 401",
    arguments: Transfer.allCases, AskedDelegate.Answer.allCases)
  func answers(_ transfer: Transfer, _ answer: AskedDelegate.Answer) async throws {
    let delegate = AskedDelegate(answering: answer)
    let exchange = try Exchange(delegate: delegate) { request in
      request["Authorization"] == "Basic YWRhOnB3" ? .text("welcome") : .challenge([.text("who are you?")])
    }
    let begun = try exchange.begin(transfer)
    let body: String?
    switch answer {
    case .credential, .credentialAtLast:
      #expect(try await begun.response.value.status == 200)
      #expect(exchange.server.requests.count == delegate.challenges.entries.count + 1)
      body = "welcome"
    case .cancellation, .noCredential:
      #expect((await begun.response.awaitedError as? URLError)?.code == .cancelled)
      #expect(!begun.promise.isCancelled)
      body = nil
    case .defaultHandling, .rejection:
      #expect(try await begun.response.value.status == 401)
      body = "who are you?"
    }
    #expect(delegate.challenges.entries == (answer == .credentialAtLast ? ["r 0", "r 1"] : ["r 0"]))
    let file = transfer == .download ? body : nil
    #expect(try exchange.folder.names.contains("in") == (file != nil))
    if let file { #expect(try exchange.folder.bytes(of: "in") == Array(file.utf8)) }
  }

  @Test("A stream that accepts a 401 begins with the response to the credential")
  func acceptedStream() async throws {
    let exchange = try Exchange(delegate: AskedDelegate(answering: .credential)) { request in
      request["Authorization"] == nil ? .challenge([.text("who are you?")]) : .text("welcome")
    }
    let request = HTTPRequest.get(exchange.server.address).accepting(200...401)
    #expect(try await exchange.session.stream(for: request).value.response.status == 200)
  }

  #if canImport(FoundationNetworking)
    /// Foundation on Linux (Swift 6.3.1) stops the process if it gets a credential for another scheme than Basic, and does
    /// not ask for one.
    @Test(
      "A 401 with only schemes that Foundation does not know fulfils the promise, and no credential is asked for",
      arguments: Transfer.allCases,
      ["Digest realm=\"r\", nonce=\"n\"", "Bearer realm=\"r\"", "Negotiate realm=\"r\"", "Unknown realm=\"r\""])
    func unknownScheme(_ transfer: Transfer, _ scheme: String) async throws {
      let delegate = AskedDelegate(answering: .credential)
      let exchange = try Exchange(delegate: delegate) { _ in
        Response(status: 401, headers: [("WWW-Authenticate", scheme)], pieces: [.text("who are you?")])
      }
      #expect(try await exchange.begin(transfer).response.value.status == 401)
      #expect(exchange.server.requests.count == 1)
      #expect(delegate.challenges.entries.isEmpty)
    }
  #endif

  @Test("Credentials for another host are not used, and the 401 fulfils the promise", arguments: Transfer.allCases)
  func credentialsForOthers(_ transfer: Transfer) async throws {
    let exchange = try Exchange { _ in .challenge([.text("who are you?")]) }
    let storage = try #require(exchange.session.configuration.urlCredentialStorage)
    let other = URLProtectionSpace(
      host: "other.example", port: 80, protocol: "http", realm: "r",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    storage.set(URLCredential(user: "ada", password: "pw", persistence: .forSession), for: other)
    #expect(try await exchange.begin(transfer).response.value.status == 401)
  }
}

@Suite("Credentials of a request that is redirected", .bounded) struct RedirectedCredentialTests {
  private static let secrets = ["Authorization": "Bearer secret", "cookie": "id=7", "Proxy-Authorization": "Basic x"]
  private static let headers = Self.secrets.merging(["X-Other": "kept"]) { $1 }

  private func withSecrets(_ request: URLRequest) -> URLRequest {
    var request = request
    for (name, value) in Self.headers { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  /// Returns the secrets that a server has received, in the order of their names.
  private func secrets(of request: Request?) -> [String] { Self.secrets.keys.sorted().compactMap { request?[$0] } }

  @Test(
    "Credentials of a request or of its session are not sent to another server after a redirection",
    arguments: Transfer.allCases, [301, 302, 303, 307, 308])
  func otherServer(_ transfer: Transfer, _ status: Int) async throws {
    for isOfSession in [false, true] {
      let other = try LoopbackServer { _ in .text("arrived") }
      let target = other.address + "/end"
      let exchange = try Exchange(headers: isOfSession ? Self.headers : nil) { request in
        .redirect(to: request.path == "/next" ? target : "/next", status: status)
      }
      let request = try exchange.request()
      let begun = try transfer.begin(
        isOfSession ? request : withSecrets(request), in: exchange.session, folder: exchange.folder)
      #expect(try await begun.response.value.status == 200)
      #expect(exchange.server.requests.map { secrets(of: $0).count } == [3, 3])
      #expect(exchange.server.requests.map { $0["X-Other"] } == ["kept", "kept"])
      #expect(secrets(of: other.requests.first).isEmpty)
      #expect(other.requests.first?["X-Other"] == "kept")
    }
  }

  @Test("Credentials that were dropped for another server stay dropped after a redirection back")
  func wayBack() async throws {
    let back = Locked("")
    let other = try LoopbackServer { _ in .redirect(to: back.withLock { $0 }) }
    let there = other.address
    let exchange = try Exchange { $0.path == "/end" ? .text("arrived") : .redirect(to: there) }
    back.withLock { $0 = exchange.server.address + "/end" }
    _ = try await exchange.session.promise(for: withSecrets(exchange.request())).value
    #expect(exchange.server.requests.count == 2)
    #expect(secrets(of: exchange.server.requests.last).isEmpty)
  }

  @Test(
    "The origin consists of scheme, host and port, including the default port",
    arguments: [
      ("http://127.0.0.1:PORT/x", true), ("HTTP://127.0.0.1:PORT/x", true), ("https://127.0.0.1:PORT/x", false),
      ("http://localhost:PORT/x", false), ("http://127.0.0.1:1/x", false), ("http://127.0.0.1/x", false),
    ])
  func origin(_ location: String, _ isSame: Bool) async throws {
    let delegate = AskedDelegate()
    let port = Locked("")
    let exchange = try Exchange(delegate: delegate) { _ in
      .redirect(to: location.replacingOccurrences(of: "PORT", with: port.withLock { $0 }))
    }
    port.withLock { $0 = "\(exchange.server.port)" }
    _ = try await exchange.session.promise(for: withSecrets(exchange.request())).value
    try #require(delegate.requests.entries.count == 1)
    let request = delegate.requests.entries[0]
    let headers = ["Authorization", "Cookie", "X-Other"].map { request.value(forHTTPHeaderField: $0) }
    #expect(headers == (isSame ? ["Bearer secret", "id=7", "kept"] : [nil, nil, "kept"]))
  }

  @Test("The session's delegate may send a credential to another server")
  func delegate() async throws {
    let other = try LoopbackServer { _ in .text("arrived") }
    let delegate = AskedDelegate(redirectsTo: other.address + "/end", adding: ("Authorization", "Bearer other"))
    let exchange = try Exchange(delegate: delegate) { _ in .redirect(to: "/never") }
    _ = try await exchange.session.promise(for: exchange.request()).value
    #expect(other.requests.map { $0["Authorization"] } == ["Bearer other"])
  }

  @Test("A cookie that a redirection sets is sent with the request that follows")
  func cookie() async throws {
    let exchange = try Exchange { request in
      if request.path == "/end" { return .text("arrived") }
      return Response(status: 302, headers: [("Location", "/end"), ("Set-Cookie", "fresh=1; Path=/")])
    }
    _ = try await exchange.session.promise(for: exchange.request("/start")).value
    #expect(exchange.server.requests.map { $0["Cookie"] } == [nil, "fresh=1"])
  }
}
