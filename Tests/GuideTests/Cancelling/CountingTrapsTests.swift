import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets under "Traps of counting" in Docs/Guides/Cancellation.md, word for word. `Scripts/check-snippets.py` compares
// them.

private enum Guide {
  typealias Server = GuideServer

  actor Pages {
    private let server: Server
    private var cache: [String: Promise<String>] = [:]

    init(_ server: Server) { self.server = server }

    func page(_ name: String) -> Promise<String> {
      let page = cache[name] ?? server.page(name)
      cache[name] = page
      return page.shielded()
    }
  }
}

@Suite("The guide to cancellation: traps of counting")
struct CountingTrapsTests {
  private let server = GuideServer()
  private let log = Log<String>()
  private var isStopped: Bool { server.stopped == ["weather"] }

  @Test("A client that cancels does not affect a cache that hands out shielded promises", .rule("4.10"))
  func cache() async throws {
    let pages = Guide.Pages(server)
    let one = await pages.page("weather")
    let two = await pages.page("weather")
    one.map { $0 }.cancel(upstream: true)
    #expect(one.isCancelled && two.isPending && !isStopped)
    let three = await pages.page("weather")
    server.answer("weather", with: .success("sun"))
    #expect(try await [two.value, three.value] == ["sun", "sun"])
    #expect(server.requested == ["weather"])
  }

  @Test(
    "A successor keeps the work running only if it is attached before its predecessor is cancelled", .rule("4.4"),
    arguments: [true, false])
  func successor(_ isFirst: Bool) {
    if isFirst {
      let page = server.page("weather")
      let draft = page.map { "Draft of \($0)" }
      let printed = page.map { "Print of \($0)" }  // first the successor
      draft.cancel(upstream: true)  // then the predecessor: the request goes on
      #expect(draft.isCancelled && printed.isPending)
    } else {
      let page = server.page("weather")
      page.map { "Draft of \($0)" }.cancel(upstream: true)
      #expect(page.map { "Print of \($0)" }.isCancelled)
    }
    #expect(isStopped != isFirst)
  }

  @Test("A catch on a side branch counts as a consumer", .rule("4.0"))
  func sideBranch() {
    let page = server.page("weather")
    page.catch { error in log.append("\(error)") }  // a consumer, although its promise is not retained
    let title = page.map { "Title of \($0)" }
    title.cancel(upstream: true)  // the request goes on, for `catch`
    #expect(title.isCancelled && page.isPending && !isStopped)
    // A pending request would retain the handler, which captures the server, which retains the request.
    server.answer("weather", with: .success("sun"))
  }

  @Test("onRejected does not count as a consumer, and a catch within the chain is given up with it", .rule("4.0"))
  func inLine() throws {
    try TestWorld.run(checking: .running) { world in
      let page = server.page("weather")
      page.onRejected { error in log.append("\(error)") }  // no consumer
      let title = page.map { "Title of \($0)" }.catch { error in log.append("\(error)") }  // in line
      title.cancel(upstream: true)  // the request is stopped
      #expect(page.isCancelled && isStopped)
      world.runUntilIdle()
      #expect(log.entries.count == 2)
    }
  }

  @Test("An expired timeout that is the only consumer stops the work", .rule("4.6"))
  func timeout() throws {
    try TestWorld.run(checking: .running) { world in
      let page = server.page("weather")
      page.timeout(.seconds(1)).catch { _ in log.append("slow!") }
      world.advance(by: .seconds(1))
      #expect(log.entries == ["slow!"] && isStopped)
      let second = page.timeout(.seconds(9))
      #expect(second.isRejected)
    }
  }

  @Test("An expired timeout with cancelsSource: false does not stop the work", .rule("4.6"))
  func softTimeout() throws {
    try TestWorld.run(checking: .running) { world in
      let page = server.page("weather")
      page.timeout(.seconds(1), cancelsSource: false).catch { _ in log.append("slow!") }
      let patient = page.timeout(.seconds(9))  // the request goes on
      world.advance(by: .seconds(1))
      #expect(log.entries == ["slow!"] && !isStopped)
      server.answer("weather", with: .success("sun"))
      #expect(world.settling(patient).valueNow == "sun")
    }
  }

  @Test("Releasing a promise does not stop its work", .rule("4.0", "6.1"))
  func releasing() throws {
    try TestWorld.run(checking: .running) { world in
      func release() -> Promise<String>? {
        var title: Promise<String>? = server.page("weather").map { "Title of \($0)" }
        title = nil  // the request goes on: a chain lives until it has run
        return title
      }
      #expect(release() == nil)
      #expect(!isStopped && server.pending == ["weather"])
      server.answer("weather", with: .success("sun"))
      world.runUntilIdle()
    }
  }

  @Test("A link attached to a cancelled promise may recover", .rule("4.3"))
  func late() throws {
    try TestWorld.run(checking: .running) { world in
      let page = server.page("weather")
      page.cancel()
      let title = page.map { "Title of \($0)" }  // rejected at once, and cancelled
      let text = page.recover { _ in "no weather" }  // an ordinary rejection: becomes "no weather"
      #expect(title.isCancelled)
      #expect(world.settling(text).valueNow == "no weather")
    }
  }

  @Test("cancel() does not stop the inputs of a combinator, even those that wait at a gate", .rule("4.8"))
  func inputs() throws {
    try TestWorld.run(checking: .running) { world in
      let limit = Limit(1)
      func leaving(upstream: Bool) {
        if upstream {
          let pages = Promise.all(["weather", "news"].map { name in limit.run { server.page(name) } })
          world.runUntilIdle()
          pages.cancel(upstream: true)
        } else {
          let pages = Promise.all(["weather", "news"].map { name in limit.run { server.page(name) } })
          pages.cancel()  // both requests go on, also the one that waits for its place
        }
        world.runUntilIdle()
      }
      leaving(upstream: true)
      #expect(server.requested == ["weather"] && isStopped)
      leaving(upstream: false)
      server.answer("weather", with: .success("sun"))
      world.runUntilIdle()
      #expect(server.requested == ["weather", "weather", "news"] && isStopped)
      server.answer("news", with: .success("none"))
    }
  }

  @Test("cancel(upstream:) after cancel() no longer stops the work", .rule("4.1"))
  func tooLate() {
    let title = server.page("weather").map { "Title of \($0)" }
    title.cancel()  // the request goes on, although no client waits for it
    title.cancel(upstream: true)  // no effect: title is settled, and has left its source
    #expect(title.isCancelled && !isStopped)
  }
}
