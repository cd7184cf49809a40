import PromiseCombinators
import PromiseGates
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

@Suite("The guide to cancellation: traps of counting") struct CountingTrapsTests {
  private let server = GuideServer()
  private let log = Log<String>()
  private var isStopped: Bool { server.stopped == ["weather"] }

  @Test("A client that cancels does not affect a cache that hands out shielded promises", .rule("4.10"))
  func cache() async throws {
    let pages = Guide.Pages(server)
    let one = await pages.page("weather")
    let two = await pages.page("weather")
    one.map { $0 }.cancel(upstream: true)
    #expect(one.isCancelled)
    #expect(two.isPending)
    #expect(!isStopped)
    let three = await pages.page("weather")
    server.answer("weather", with: .success("sun"))
    #expect(try await [two.value, three.value] == ["sun", "sun"])
    #expect(server.requested == ["weather"])
  }

  @Test("A successor that is attached before its predecessor is cancelled keeps the work running", .rule("4.4"))
  func successor() {
    let page = server.page("weather")
    let draft = page.map { "Draft of \($0)" }
    let printed = page.map { "Print of \($0)" }  // first the successor
    draft.cancel(upstream: true)  // then the predecessor: the request goes on
    #expect(draft.isCancelled)
    #expect(printed.isPending)
    #expect(!isStopped)
  }

  @Test("onRejected does not count as a consumer, and a catch within the chain is given up with it", .rule("4.0"))
  func inLine() throws {
    try TestWorld.run(checking: .running) { world in
      let page = server.page("weather")
      page.onRejected { error in log.append("\(error)") }  // no consumer
      let title = page.map { "Title of \($0)" }.catch { error in log.append("\(error)") }  // in line
      title.cancel(upstream: true)  // the request is stopped
      #expect(page.isCancelled)
      #expect(isStopped)
      world.runUntilIdle()
      #expect(log.entries.count == 2)
    }
  }

  @Test("An expired timeout with cancelsSource: false does not stop the work", .rule("4.6"))
  func softTimeout() throws {
    try TestWorld.run(checking: .running) { world in
      let page = server.page("weather")
      page.timeout(.seconds(1), cancelsSource: false).catch { _ in log.append("slow!") }
      let patient = page.timeout(.seconds(9))  // the request goes on
      world.advance(by: .seconds(1))
      #expect(log.entries == ["slow!"])
      #expect(!isStopped)
      server.answer("weather", with: .success("sun"))
      #expect(world.settling(patient).state.value == "sun")
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
      #expect(world.settling(text).state.value == "no weather")
    }
  }

  @Test("cancel() does not stop the inputs of a combinator, even those that wait at a gate", .rule("4.8"))
  func inputs() throws {
    try TestWorld.run(checking: .running) { world in
      let limit = ConcurrencyLimit(1)
      let pages = Promise.all(["weather", "news"].map { name in limit.run { server.page(name) } })
      pages.cancel()  // both requests go on, also the one that waits for its place
      world.runUntilIdle()
      server.answer("weather", with: .success("sun"))
      world.runUntilIdle()
      #expect(server.requested == ["weather", "news"])
      #expect(server.stopped.isEmpty)
      server.answer("news", with: .success("none"))
    }
  }
}
