import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

// Contains the snippets of Docs/Reference/Operators.md, word for word. `Scripts/check-snippets.py` compares them.

/// An error with which a server asks for a pause.
private struct Busy: Error {
  let retryAfter: Duration
}

private enum Guide {
  typealias Server = GuideServer

  struct PoliteServer {
    let server: Server
    private let limit = Limit(4)
    private let rate = RateLimit(10, per: .seconds(1))

    init(_ server: Server) { self.server = server }

    func politePage(_ name: String) -> Promise<String> {
      limit.run { [rate, server] in
        rate.run { server.page(name) }  // begins at once when the rate limit lets it in
      }
    }
  }

  struct Mirrors {
    let mirrors: [String: Server]
    let server: Server
    let log: Log<String>

    func fastestPage(_ name: String) -> Promise<String> {
      let mirrors = self.mirrors.mapValues { mirror in mirror.page(name) }
      return Promise.any(mirrors, cancelsLosers: true).map { winner in
        log.append("\(winner.key) was first")
        return winner.value
      }
    }

    func weather(of towns: Set<String>) -> Promise<[String: String]> {
      let pages = Dictionary(uniqueKeysWithValues: towns.map { town in (town, server.page(town)) })
      return Promise.all(pages, onFailure: .cancelRemaining)
    }
  }

  final class Pages: Sendable {
    private let server: Server
    private let cache = ValueCache<String, String>(lifetime: .seconds(60), limit: 200)

    init(_ server: Server) { self.server = server }

    func page(_ name: String) -> Promise<String> {
      cache.value(for: name) { [server] in server.page(name) }
    }
  }

  final class ImageLoader: Sendable {
    private let server: Server
    private let limit = Limit(4)

    init(_ server: Server) { self.server = server }

    func image(_ name: String, for screen: QueuePriority) -> Promise<String> {
      limit.run(queuePriority: screen) { [server] in server.page(name) }
    }
  }
}

@Suite("The guide to operators: everyday shapes")
struct OperatorsTests {
  private let server = GuideServer()

  func weather() -> Promise<String> {
    Promise.retry(attempts: 4, backoff: .exponential(first: .milliseconds(200))) { [server] in
      server.page("weather").timeout(.seconds(5))  // stops an attempt that takes too long
    }
    .timeout(.seconds(12))  // for all attempts together
  }

  func politeWeather() -> Promise<String> {
    let backoff = Backoff.exponential(first: .milliseconds(200)).jittered()
      .overridden { error in (error as? Busy)?.retryAfter }
    return Promise.retry(attempts: 9, backoff: backoff, within: .seconds(30)) { [server] attempt in
      server.page("weather \(attempt)")
    }
  }

  func pages(_ names: [String]) -> Promise<[String]> {
    Promise.traverse(names, concurrency: 4) { [server] name in server.page(name) }
  }

  func pages(_ names: AsyncStream<String>) -> Promise<[String]> {
    Promise.traverse(names, concurrency: 4) { [server] name in server.page(name) }
  }

  func pagesWithProgress(_ names: [String]) -> Promise<[String]> {
    let limit = Limit(4)
    return Promise.all(
      names.map { [server] name in limit.run { server.page(name) } },
      onFailure: .cancelRemaining)
  }

  @Test("An attempt that takes too long is stopped before the next one begins", .rule("4.6"))
  func retry() throws {
    try TestWorld.run(checking: .running) { world in
      let weather = weather()
      world.advance(by: .seconds(5))
      #expect(server.stopped == ["weather"] && server.requested.count == 1)
      world.advance(by: .milliseconds(200))
      #expect(server.pending == ["weather"] && server.requested.count == 2)
      server.answer("weather", with: .success("sun"))
      #expect(world.settling(weather).valueNow == "sun")
    }
  }

  @Test("A server asks for a pause, and no attempt begins after the limit")
  func politeRetry() throws {
    try TestWorld.run(checking: .running) { world in
      let weather = politeWeather()
      world.runUntilIdle()
      server.answer("weather 1", with: .failure(Busy(retryAfter: .seconds(20))))
      world.advance(by: .seconds(19))
      #expect(server.pending.isEmpty)
      world.advance(by: .seconds(1))
      server.answer("weather 2", with: .failure(Busy(retryAfter: .seconds(11))))
      world.runUntilIdle()
      #expect(weather.errorNow is Busy && server.requested == ["weather 1", "weather 2"])
    }
  }

  @Test("A screen that disappears gives its places in the queue to others, and gets them back")
  func images() throws {
    try TestWorld.run(checking: .running) { world in
      let loader = Guide.ImageLoader(server)
      let (one, two) = (QueuePriority(1), QueuePriority(1))
      let images = (1...6).map { loader.image("one \($0)", for: one) } + [loader.image("two", for: two)]
      world.runUntilIdle()
      #expect(server.requested.count == 4)
      one.level = 0
      server.answer("one 1", with: .success("1"))
      world.runUntilIdle()
      #expect(server.requested.last == "two")
      one.level = 1
      server.answer("one 2", with: .success("2"))
      world.runUntilIdle()
      #expect(server.requested.last == "one 5")
      for image in images { image.cancel() }
      world.runUntilIdle()
    }
  }

  @Test("The timeout for all attempts stops the last attempt", .rule("4.6"))
  func limit() throws {
    try TestWorld.run(checking: .running) { world in
      let weather = weather()
      world.advance(by: .seconds(12))
      #expect(name(of: weather.errorNow) == "timedOut")
      #expect(server.requested.count == 3 && server.pending.isEmpty)
    }
  }

  @Test(
    "A client that gives up stops the attempt, and cancel() alone does not", .rule("4.4"),
    arguments: [false, true])
  func giveUp(_ upstream: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let weather = weather()
      world.runUntilIdle()
      weather.cancel(upstream: upstream)
      #expect(weather.isCancelled && server.pending.isEmpty == upstream)
      server.answer("weather", with: .success("sun"))
      world.advance(by: .seconds(60))
      #expect(server.requested.count == 1)
    }
  }

  @Test("The result names the mirror that was first, and the requests to the other mirrors are stopped", .rule("4.8"))
  func mirrors() throws {
    try TestWorld.run(checking: .running) { world in
      let (other, log) = (GuideServer(), Log<String>())
      let mirrors = Guide.Mirrors(mirrors: ["north": server, "south": other], server: server, log: log)
      let page = mirrors.fastestPage("weather")
      world.runUntilIdle()
      other.answer("weather", with: .success("sun"))
      #expect(world.settling(page).valueNow == "sun" && log.entries == ["south was first"])
      world.runUntilIdle()
      #expect(server.stopped == ["weather"])

      let weather = mirrors.weather(of: ["Bergen", "Oslo"])
      for town in ["Bergen", "Oslo"] { server.answer(town, with: .success("in \(town)")) }
      #expect(world.settling(weather).valueNow == ["Bergen": "in Bergen", "Oslo": "in Oslo"])
    }
  }

  @Test("Clients share a request whose page is kept, and the request stops with its last client", .rule("4.6"))
  func flight() throws {
    try TestWorld.run(checking: .running) { world in
      let pages = Guide.Pages(server)
      let (one, two) = (pages.page("weather"), pages.page("weather"))
      world.runUntilIdle()
      #expect(server.requested == ["weather"])
      one.cancel(upstream: true)
      #expect(one.isCancelled && server.stopped.isEmpty)
      two.map { $0.count }.cancel(upstream: true)
      #expect(server.stopped == ["weather"])

      let three = pages.page("weather")
      world.runUntilIdle()
      server.answer("weather", with: .success("sun"))
      #expect(world.settling(three).valueNow == "sun")
      #expect(world.settling(pages.page("weather")).valueNow == "sun" && server.requested.count == 2)
    }
  }

  @Test("Requests that have waited for a place still begin at the allowed rate")
  func twoLimits() throws {
    try TestWorld.run(checking: .running) { world in
      let names = (1...30).map { "\($0)" }
      let polite = Guide.PoliteServer(server)
      let pages = names.map(polite.politePage)
      world.runUntilIdle()
      #expect(server.pending == ["1", "2", "3", "4"])
      world.advance(by: .seconds(10))
      for name in names {
        server.answer(name, with: .success(name))
        world.runUntilIdle()
      }
      #expect(server.requested.count == 14)
      for page in pages { page.cancel() }
      world.runUntilIdle()
    }
  }

  @Test(
    "A failed page stops the other pages, and so does a cancellation of the result", .rule("4.6"),
    arguments: [false, true])
  func several(_ isCancelled: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let pages = pages(["a", "b", "c"])
      world.runUntilIdle()
      if isCancelled { pages.cancel() } else { server.answer("b", with: .failure(TestError(1))) }
      #expect(world.settling(pages).isRejected)
      world.runUntilIdle()
      #expect(server.pending.isEmpty && Set(server.stopped) == (isCancelled ? ["a", "b", "c"] : ["a", "c"]))
    }
  }

  @Test("Each page that arrives adds its share to the progress of several requests behind a limit", .rule("5.4"))
  func severalWithProgress() throws {
    try TestWorld.run(checking: .running) { world in
      let names = ["a", "b", "c", "d", "e"]
      let pages = pagesWithProgress(names)
      world.runUntilIdle()
      #expect(server.pending == ["a", "b", "c", "d"] && pages.progress == 0)
      for (count, name) in names.enumerated() {
        #expect(abs(pages.progress - Double(count) / 5) < 1e-9)
        server.answer(name, with: .success(name))
        world.runUntilIdle()
      }
      #expect(pages.valueNow == names)
    }
  }

  @Test(
    "Requests behind a limit stop, and no more begin, if a request fails or the result is given up",
    .rule("4.4", "4.8"), arguments: [false, true])
  func severalWithProgressStop(_ isCancelled: Bool) throws {
    try TestWorld.run(checking: .running) { world in
      let pages = pagesWithProgress(["a", "b", "c", "d", "e", "f"])
      world.runUntilIdle()
      if isCancelled { pages.cancel(upstream: true) } else { server.answer("b", with: .failure(TestError(1))) }
      #expect(world.settling(pages).isRejected)
      world.runUntilIdle()
      #expect(server.pending.isEmpty && server.requested.count == 4)
    }
  }

  @Test("With its default parameters, retry tries a broken promise again once, after a second")
  func retryByDefault() throws {
    try TestWorld.run(checking: .running) { world in
      let attempts = Log<Int>()
      let page = Promise<String>.retry {
        attempts.append(1)
        return Promise { (_: Deferred<String>) in }
      }
      world.advance(by: .milliseconds(999))
      #expect(attempts.entries.count == 1)
      world.advance(by: .milliseconds(1))
      #expect(attempts.entries.count == 2)
      #expect(name(of: page.errorNow) == "broken")
    }
  }

  @Test("traverse over a stream of names requests at most four pages at a time")
  func stream() throws {
    try TestWorld.run(checking: .running) { world in
      let (names, input) = AsyncStream.makeStream(of: String.self)
      for name in ["a", "b", "c", "d", "e"] { input.yield(name) }
      input.finish()
      let pages = pages(names)
      world.runUntilIdle()
      #expect(server.pending == ["a", "b", "c", "d"])
      server.answer("b", with: .success("B"))
      world.runUntilIdle()
      #expect(server.pending == ["a", "c", "d", "e"])
      for name in server.pending { server.answer(name, with: .success(name)) }
      #expect(world.settling(pages).valueNow == ["a", "B", "c", "d", "e"])
    }
  }
}
