import Foundation
import LoopbackServer
import PromiseFoundation
import TestSupport
import Testing

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
