import AsyncHTTPClient
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import PromiseCombinators
import PromiseGates
import PromiseHTTPClient
import PromiseHummingbird
import Testing

/// Returns the routes of a server whose pages are promises.
func routes(to page: @escaping @Sendable (String) -> Promise<String>) -> Router<BasicRequestContext> {
  let router = Router()
  router.get("/pages/:name") { request, context in
    try await request.value(of: page(context.parameters.require("name")))
  }
  return router
}

@Suite("Hummingbird", .bounded) struct HummingbirdTests {
  private func application(_ router: Router<BasicRequestContext>) -> some ApplicationProtocol {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return Application(router: router, logger: logger)
  }

  @Test("A route returns the value of a promise")
  func route() async throws {
    let app = application(routes { name in Promise.fulfilled("The page \(name)").map(\.self) })
    try await app.test(.live) { client in
      let response = try await client.execute(uri: "/pages/a", method: .get)
      #expect(String(buffer: response.body) == "The page a")
    }
  }

  @Test("A rejection is the error of the route")
  func rejected() async throws {
    let app = application(routes { _ in .rejected(HTTPError(.serviceUnavailable)) })
    try await app.test(.live) { client in
      let response = try await client.execute(uri: "/pages/a", method: .get)
      #expect(response.status == .serviceUnavailable)
    }
  }

  @Test("A thousand concurrent requests ask the back end once")
  func singleFlight() async throws {
    let calls = Log<String>()
    let answer = Deferred<String>()
    let backEnd: @Sendable (String) -> Promise<String> = { name in
      calls.append(name)
      return answer.promise
    }
    let joined = Log<Void>()
    let loads = SingleFlight<String, String>()
    let router = routes { name in
      defer { joined.append(()) }
      return loads.run(for: name) { backEnd(name) }
    }
    try await application(router).test(.live) { client in
      let request = try HTTPClient.Request(url: "http://localhost:\(try #require(client.port))/pages/a")
      var configuration = HTTPClient.Configuration()
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
      let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
      let responses = (0..<1_000).map { _ in http.promise(for: request).map { $0.body.map { String(buffer: $0) } } }
      #expect(await eventually { joined.entries.count == 1_000 })
      answer.fulfill("one")
      let bodies = try? await Promise.all(responses).value
      #expect(bodies == Array(repeating: "one", count: 1_000))
      #expect(calls.entries == ["a"])
      try await http.shutdown()
    }
  }

  @Test("When the only client closes its connection, the back end is stopped, and the route returns after its end")
  func closedConnection() async throws {
    let asked = Deferred<Void>()
    let stopping = Deferred<Void>()
    let stopped = Deferred<Void>()
    let returned = Deferred<Void>()
    let page = Deferred<String>()
    page.onCancelThen { _ in
      stopping.fulfill()
      return stopped.promise
    }
    let router = Router()
    router.get("/pages/:name") { request, _ in
      defer { returned.fulfill() }
      asked.fulfill()
      return try await request.value(of: page.promise)
    }
    router.get("/ping") { _, _ in "pong" }
    try await application(router).test(.live) { client in
      let address = "http://localhost:\(try #require(client.port))/pages/a"
      let response = HTTPClient.shared.promise(for: try HTTPClient.Request(url: address))
      try await asked.promise.value
      response.cancel()
      try await stopping.promise.value
      // Meanwhile a route that did not wait would return.
      _ = try await client.execute(uri: "/ping", method: .get)
      #expect(returned.promise.isPending)
      stopped.fulfill()
      try await returned.promise.value
    }
  }

  @Test("A client that leaves does not stop the back end for another client")
  func otherClient() async throws {
    let stopped = Log<Void>()
    let page = Deferred<String>()
    page.onCancel { _ in stopped.append(()) }
    let (joined, left) = (Log<Void>(), Deferred<Void>())
    let loads = SingleFlight<String, String>()
    let app = application(
      routes { name in
        let shared = loads.run(for: name) { page.promise }
        shared.onRejected { _ in left.fulfill() }
        joined.append(())
        return shared
      })
    try await app.test(.live) { client in
      let request = try HTTPClient.Request(url: "http://localhost:\(try #require(client.port))/pages/a")
      let responses = (0..<2).map { _ in HTTPClient.shared.promise(for: request) }
      #expect(await eventually { joined.entries.count == 2 })
      responses[0].cancel()
      try await left.promise.value
      #expect(stopped.entries.isEmpty)
      page.fulfill("still wanted")
      #expect(try await responses[1].value.body.map { String(buffer: $0) } == "still wanted")
    }
  }
}
