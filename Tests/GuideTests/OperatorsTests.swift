import PromiseCombinators
import PromiseGates
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
    private let limit = ConcurrencyLimit(4)
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
    let log: Log<String>

    func fastestPage(_ name: String) -> Promise<String> {
      let mirrors = self.mirrors.mapValues { mirror in mirror.page(name) }
      return Promise.any(mirrors, cancelsLosers: true).map { winner in
        log.append("\(winner.key) was first")
        return winner.value
      }
    }
  }
}

@Suite("The guide to operators: everyday shapes") struct OperatorsTests {
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

  func pagesWithProgress(_ names: [String]) -> Promise<[String]> {
    let limit = ConcurrencyLimit(4)
    return Promise.all(
      names.map { [server] name in limit.run { server.page(name) } },
      onRejection: .cancelRemaining)
  }

  @Test("An attempt that takes too long is stopped before the next one begins", .rule("4.6"))
  func retry() throws {
    try TestWorld.run(checking: .running) { world in
      let weather = weather()
      world.advance(by: .seconds(5))
      #expect(server.stopped == ["weather"])
      #expect(server.requested.count == 1)
      world.advance(by: .milliseconds(200))
      #expect(server.pending == ["weather"])
      #expect(server.requested.count == 2)
      server.answer("weather", with: .success("sun"))
      #expect(world.settling(weather).state.value == "sun")
    }
  }

  @Test("The result names the mirror that was first, and the requests to the other mirrors are stopped", .rule("4.8"))
  func mirrors() throws {
    try TestWorld.run(checking: .running) { world in
      let other = GuideServer()
      let log = Log<String>()
      let page = Guide.Mirrors(mirrors: ["north": server, "south": other], log: log).fastestPage("weather")
      world.runUntilIdle()
      other.answer("weather", with: .success("sun"))
      #expect(world.settling(page).state.value == "sun")
      #expect(log.entries == ["south was first"])
      world.runUntilIdle()
      #expect(server.stopped == ["weather"])
    }
  }

  @Test("Requests that have waited for a place still begin at the allowed rate")
  func twoLimits() throws {
    try TestWorld.run(checking: .running) { world in
      let names = (1...30).map { "\($0)" }
      let pages = names.map(Guide.PoliteServer(server).politePage)
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

  @Test("Each page that arrives adds its share to the progress of several requests behind a limit", .rule("5.4"))
  func severalWithProgress() throws {
    try TestWorld.run(checking: .running) { world in
      let names = ["a", "b", "c", "d", "e"]
      let pages = pagesWithProgress(names)
      world.runUntilIdle()
      #expect(server.pending == ["a", "b", "c", "d"])
      #expect(pages.progress == 0)
      for (count, name) in names.enumerated() {
        #expect(abs(pages.progress - Double(count) / 5) < 1e-9)
        server.answer(name, with: .success(name))
        world.runUntilIdle()
      }
      #expect(pages.state.value == names)
    }
  }
}
