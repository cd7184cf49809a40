import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PromiseFoundation

@Suite("Idle timeouts of requests", .bounded)
struct IdleTimeoutTests {
  // This test waits for a second, because the session uses a real clock.
  @Test(
    "A request that receives nothing for its idle time rejects with URLError.timedOut and closes its connection"
  )
  func silence() async throws {
    let unfinished = UnfinishedResponse()
    let exchange = try Exchange { _ in unfinished.response }
    let request = HTTPRequest.get(exchange.server.address).idleTimeout(.seconds(1))
    let promise = exchange.session.promise(for: request)
    #expect((await promise.failure as? URLError)?.code == .timedOut)
    #expect(!promise.isCancelled)
    try await unfinished.left.value
  }

  @Test(
    "An idle time is not shortened to whole seconds, and the longest idle time does not trap",
    arguments: [Duration.milliseconds(10_500), .milliseconds(60_900), .seconds(Int64.max), .seconds(1_000_000_000_000)])
  func lengths(_ limit: Duration) async throws {
    let exchange = try Exchange { _ in .text("fine") }
    let request = HTTPRequest.get(exchange.server.address).idleTimeout(limit)
    #expect(try await exchange.session.promise(for: request).value.text == "fine")
    #expect(try request.urlRequest().timeoutInterval >= min(limit / .seconds(1), 1_000_000))
  }

  @Test("A URLRequest gets the idle time of its HTTPRequest, which is 60 seconds by default")
  func interval() throws {
    #expect(try HTTPRequest.get("http://host").idleTimeout(.seconds(7)).urlRequest().timeoutInterval == 7)
    #expect(try HTTPRequest.get("http://host").urlRequest().timeoutInterval == 60)
  }

  // On Linux, Foundation truncates the timeout to whole seconds. A request with a timeout of 0 seconds fails at once.
  @Test("An idle time below a second never becomes a timeout of zero", arguments: [1, 500, 999])
  func short(_ milliseconds: Int) throws {
    let request = HTTPRequest.get("http://host").idleTimeout(.milliseconds(milliseconds))
    #if canImport(FoundationNetworking)
      #expect(try request.urlRequest().timeoutInterval == 1)
    #else
      #expect(try request.urlRequest().timeoutInterval == Double(milliseconds) / 1_000)
    #endif
  }

  #if canImport(FoundationNetworking)
    @Test(
      "An idle time of a URLRequest is rounded up to whole seconds",
      arguments: [(0.001, 1.0), (0.999, 1), (1.5, 2), (20, 20), (.infinity, 3_162_240_000)])
    func rounding(_ limit: TimeInterval, _ rounded: TimeInterval) throws {
      var request = URLRequest(url: try #require(URL(string: "http://host")))
      request.timeoutInterval = limit
      request.roundIdleTime()
      #expect(request.timeoutInterval == rounded)
    }

    @Test("An extremely long idle time of a session is capped, and its request is answered")
    func ofSession() async throws {
      let server = try LoopbackServer { _ in .text("fine") }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = .greatestFiniteMagnitude
      let session = URLSession(configuration: configuration)
      defer { session.finishTasksAndInvalidate() }
      #expect(try await session.promise(for: .get(server.address)).value.text == "fine")
      #expect(SessionProxy.proxy(for: session).configuration?.timeoutIntervalForRequest == 3_162_240_000)
    }
  #endif
}
