import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import PromiseFoundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Requests whose answer does not come", .bounded)
struct IdleTimeoutTests {
  // The only one that waits, for a second: it is the session that looks at the clock.
  @Test(
    "row L9: if nothing comes for the idle time, the request is rejected with URLError.timedOut, and its connection ends"
  )
  func silence() async throws {
    let gone = Deferred<Void>()
    let exchange = try Exchange { _ in Response(pieces: [.untilGone, .call { gone.fulfill() }], framing: .raw) }
    let request = HTTPRequest.get(exchange.server.address).idleTimeout(.seconds(1))
    let promise = exchange.session.promise(for: request)
    #expect((await promise.failure as? URLError)?.code == .timedOut)
    #expect(!promise.isCancelled)
    try await gone.promise.value
  }

  @Test(
    "row L9: an idle time of any length is one: parts of a second are not left out, and the longest does not trap",
    arguments: [Duration.milliseconds(10_500), .milliseconds(60_900), .seconds(Int64.max), .seconds(1_000_000_000_000)])
  func lengths(_ limit: Duration) async throws {
    let exchange = try Exchange { _ in .text("fine") }
    let request = HTTPRequest.get(exchange.server.address).idleTimeout(limit)
    #expect(try await exchange.session.promise(for: request).value.text == "fine")
    #expect(try request.urlRequest().timeoutInterval >= min(limit / .seconds(1), 1_000_000))
  }

  @Test("row L9: the idle time of a request is that of its URLRequest")
  func interval() throws {
    #expect(try HTTPRequest.get("http://host").idleTimeout(.seconds(7)).urlRequest().timeoutInterval == 7)
    #expect(try HTTPRequest.get("http://host").urlRequest().timeoutInterval == 60)
  }

  // Linux: Foundation takes whole seconds only, and leaves out the rest; a request that may wait for 0 seconds fails at once.
  @Test("row L9: an idle time below a second does not fail what is answered", arguments: [1, 500, 999])
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
      "An idle time of a URLRequest is rounded up to whole seconds", .feature("L9"),
      arguments: [(0.001, 1.0), (0.999, 1), (1.5, 2), (20, 20), (.infinity, 3_162_240_000)])
    func rounding(_ limit: TimeInterval, _ rounded: TimeInterval) throws {
      var request = URLRequest(url: try #require(URL(string: "http://host")))
      request.timeoutInterval = limit
      request.roundIdleTime()
      #expect(request.timeoutInterval == rounded)
    }

    @Test("An idle time of a session below a second does not fail what is answered", .feature("L9"))
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
