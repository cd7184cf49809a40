import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

private let basic = "Basic realm=\"r\""

@Suite("Responses that require a credential", .bounded)
struct AuthenticationTests {
  /// The framings of the body of a refusal, with the numbers of its bytes.
  private static let bodies: [(framing: Response.Framing, count: Int)] = [
    (.automatic, 0), (.automatic, 12), (.automatic, 200_000), (.chunked, 3), (.untilClose, 3),
  ]

  private func refusal(_ body: (framing: Response.Framing, count: Int), challenge: String?) -> Response {
    Response(
      status: 401, headers: challenge.map { [("WWW-Authenticate", $0)] } ?? [], pieces: [.bytes(pattern(body.count))],
      framing: body.framing)
  }

  @Test(
    "A 401 fulfils the promise instead of hanging, with or without a challenge", arguments: Transfer.allCases, bodies)
  func unanswered(_ transfer: Transfer, _ body: (framing: Response.Framing, count: Int)) async throws {
    for challenge in [nil, basic] {
      let exchange = try Exchange { _ in refusal(body, challenge: challenge) }
      let response = try await exchange.begin(transfer).response.value
      #expect(response.status == 401)
      #expect(response["WWW-Authenticate"] == challenge)
      #expect(exchange.server.requests.count == 1)
    }
  }

  @Test("A 401 with a challenge fulfils the promise with its body, or without a body after HEAD", arguments: bodies)
  func body(_ framing: Response.Framing, _ count: Int) async throws {
    let exchange = try Exchange { _ in refusal((framing, count), challenge: basic) }
    for method in ["GET", "HEAD"] {
      let (data, response) = try await exchange.session.promise(for: exchange.request(method: method)).value
      #expect(response.status == 401)
      #expect(Array(data) == (method == "GET" ? pattern(count) : []))
    }
  }

  @Test(
    "A 401 with any kind of challenge fulfils the promise", arguments: [Transfer.data, .download],
    [
      "Bearer", "Bearer error=\"invalid_token\"", "Negotiate", "Digest realm=\"r\", nonce=\"n\"", "Bearer realm=\"r\"",
      "", "basic REALM=r",
    ])
  func kinds(_ transfer: Transfer, _ challenge: String) async throws {
    let exchange = try Exchange { _ in refusal((.automatic, 12), challenge: challenge) }
    #expect(try await exchange.begin(transfer).response.value.status == 401)
  }

  @Test(
    "A 401 with a challenge and a compressed body fulfils the promise instead of hanging", arguments: Transfer.allCases)
  func compressed(_ transfer: Transfer) async throws {
    let headers = [("WWW-Authenticate", basic), ("Content-Encoding", "gzip")]
    let exchange = try Exchange { _ in Response(status: 401, headers: headers, pieces: [.bytes(gzipped)]) }
    #expect(try await exchange.begin(transfer).response.value.status == 401)
  }

  @Test(
    "A 401 with a challenge and an incomplete body rejects with the session's error",
    arguments: Transfer.allCases, [true, false])
  func cut(_ transfer: Transfer, _ isReset: Bool) async throws {
    let pieces: [Piece] = isReset ? [.text("who "), .cut] : [.text("who ")]
    let exchange = try Exchange { _ in
      Response(status: 401, headers: [("WWW-Authenticate", basic)], pieces: pieces, framing: .length(100))
    }
    #expect(await (try exchange.begin(transfer)).response.failure is URLError)
  }
}

@Suite("Delegates that are asked for a credential", .bounded)
struct CredentialTests {
  private let refusal = Response(
    status: 401, headers: [("WWW-Authenticate", basic)], pieces: [.text("who are you?")])

  private func guarded(_ delegate: AskedDelegate) throws -> Exchange {
    try Exchange(delegate: delegate) { [refusal] request in
      // The encoded credential is `ada:pw`.
      request["Authorization"] == "Basic YWRhOnB3" ? .text("welcome") : refusal
    }
  }

  @Test(
    "The session's delegate is asked for a credential, again after a wrong one, and the credential is sent",
    arguments: Transfer.allCases, [AskedDelegate.Answer.credential, .credentialAtLast])
  func credential(_ transfer: Transfer, _ answer: AskedDelegate.Answer) async throws {
    let delegate = AskedDelegate(answering: answer)
    let exchange = try guarded(delegate)
    #expect(try await exchange.begin(transfer).response.value.status == 200)
    #expect(delegate.challenges == (answer == .credentialAtLast ? ["r 0", "r 1"] : ["r 0"]))
    #expect(exchange.server.requests.count == delegate.challenges.count + 1)
    if transfer == .download { #expect(try exchange.folder.bytes(of: "in") == Array("welcome".utf8)) }
  }

  @Test(
    "A challenge that the delegate cancels, or answers without a credential, rejects with URLError.cancelled",
    arguments: Transfer.allCases, [AskedDelegate.Answer.cancellation, .noCredential])
  func cancelling(_ transfer: Transfer, _ answer: AskedDelegate.Answer) async throws {
    let delegate = AskedDelegate(answering: answer)
    let exchange = try guarded(delegate)
    let begun = try exchange.begin(transfer)
    #expect((await begun.response.failure as? URLError)?.code == .cancelled)
    #expect(!begun.promise.isCancelled)
    #expect(delegate.challenges == ["r 0"])
    #expect(try !exchange.folder.names.contains("in"))
  }

  @Test(
    "A challenge for which the delegate has no credential fulfils with the 401 instead of hanging",
    arguments: Transfer.allCases, [AskedDelegate.Answer.defaultHandling, .rejection])
  func withoutCredential(_ transfer: Transfer, _ answer: AskedDelegate.Answer) async throws {
    let delegate = AskedDelegate(answering: answer)
    let exchange = try guarded(delegate)
    #expect(try await exchange.begin(transfer).response.value.status == 401)
    #expect(delegate.challenges == ["r 0"])
    if transfer == .download { #expect(try exchange.folder.bytes(of: "in") == Array("who are you?".utf8)) }
  }

  @Test(
    "Credentials for another host are not used, and the 401 fulfils the promise instead of hanging",
    arguments: Transfer.allCases)
  func credentialsForOthers(_ transfer: Transfer) async throws {
    let exchange = try Exchange { [refusal] _ in refusal }
    let storage = try #require(exchange.session.configuration.urlCredentialStorage)
    let other = URLProtectionSpace(
      host: "other.example", port: 80, protocol: "http", realm: "r",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    storage.set(URLCredential(user: "ada", password: "pw", persistence: .forSession), for: other)
    #expect(try await exchange.begin(transfer).response.value.status == 401)
  }
}

@Suite("Credentials of a request that is redirected", .bounded)
struct RedirectedCredentialTests {
  private static let secrets = ["Authorization": "Bearer secret", "cookie": "id=7", "Proxy-Authorization": "Basic x"]

  private func withSecrets(_ request: URLRequest) -> URLRequest {
    var request = request
    for (name, value) in Self.secrets { request.setValue(value, forHTTPHeaderField: name) }
    request.setValue("kept", forHTTPHeaderField: "X-Other")
    return request
  }

  /// Returns the secrets that a server has received, in the order of their names.
  private func secrets(of request: Request?) -> [String] {
    Self.secrets.keys.sorted().compactMap { request?[$0] }
  }

  @Test(
    "Credentials are not sent to another server after a redirection", arguments: Transfer.allCases,
    [301, 302, 303, 307, 308])
  func otherServer(_ transfer: Transfer, _ status: Int) async throws {
    let other = try LoopbackServer { _ in .text("arrived") }
    let target = other.address + "/end"
    let exchange = try Exchange { _ in .redirect(to: target, status: status) }
    let begun = try transfer.begin(withSecrets(exchange.request()), in: exchange.session, folder: exchange.folder)
    #expect(try await begun.response.value.status == 200)
    #expect(secrets(of: exchange.server.requests.first).count == 3)
    #expect(secrets(of: other.requests.first).isEmpty)
    #expect(other.requests.first?["X-Other"] == "kept")
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

  @Test("The headers of a session's configuration are kept and dropped like those of a request")
  func additionalHeaders() async throws {
    let other = try LoopbackServer { _ in .text("arrived") }
    let target = other.address
    let server = try LoopbackServer { $0.path == "/" ? .redirect(to: "/next") : .redirect(to: target) }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = Self.secrets.merging(["X-Other": "kept"]) { $1 }
    let session = URLSession(configuration: configuration)
    defer { session.finishTasksAndInvalidate() }
    _ = try await session.promise(for: try #require(URL(string: server.address + "/"))).value
    #expect(server.requests.map { secrets(of: $0).count } == [3, 3])
    #expect(server.requests.map { $0["X-Other"] } == ["kept", "kept"])
    #expect(secrets(of: other.requests.first).isEmpty)
    #expect(other.requests.first?["X-Other"] == "kept")
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
    #expect(delegate.requests.count == 1)
    #expect(delegate.requests.first?.value(forHTTPHeaderField: "Authorization") == (isSame ? "Bearer secret" : nil))
    #expect(delegate.requests.first?.value(forHTTPHeaderField: "Cookie") == (isSame ? "id=7" : nil))
    #expect(delegate.requests.first?.value(forHTTPHeaderField: "X-Other") == "kept")
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
