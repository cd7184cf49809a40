import PromiseCombinators
import Synchronization
import TestSupport
import Testing
import XCTest

// Holds the snippets of Docs/Guides/Testing.md.

final class Search: Sendable {
  private let ask: @Sendable (String) -> Promise<[String]>
  private let timers: any TimerContext

  init(timers: any TimerContext = .standard, ask: @escaping @Sendable (String) -> Promise<[String]>) {
    self.timers = timers
    self.ask = ask
  }

  /// Asks once the user has paused.
  func hits(for text: String) -> Promise<[String]> {
    Promise.after(.milliseconds(300), timers: timers)
      .then { [ask] in ask(text) }
      .map { $0.sorted() }
  }
}

/// Fulfils its promise after a delay.
private func pause(_ delay: Duration, on timers: some TimerContext) -> Promise<Void> {
  let owner = Deferred<Void>()
  timers.schedule(after: delay) { owner.fulfill() }
  return owner.promise
}

/// Looks for a value in one handler and stores the request in the next.
private final class Cache: Sendable {
  private let known = Locked<[String: Promise<String>]>([:])
  private let count = Atomic<Int>(0)

  var requests: Int { count.load(ordering: .relaxed) }

  func value(for key: String) -> Promise<String> {
    Promise.run { [known] in known.withLock { $0[key] } }
      .then { [self] found in
        if let found { return found }
        let loading = load(key)
        known.withLock { $0[key] = loading }
        return loading
      }
  }

  private func load(_ key: String) -> Promise<String> {
    count.add(1, ordering: .relaxed)
    return Promise.run { "value of \(key)" }
  }
}

@Suite("The guide to testing", .bounded) struct TestingDocumentTests {
  @Test func asksOnlyAfterAPause() throws {
    try TestWorld.run { world in
      let questions = Log<String>()
      let search = Search { text in
        questions.append(text)
        return .fulfilled(["b", "a"])
      }
      let hits = search.hits(for: "letters")
      world.advance(by: .milliseconds(299))
      #expect(questions.entries.isEmpty)
      world.advance(by: .milliseconds(1))
      #expect(questions.entries == ["letters"])
      let found = try world.run(until: hits)
      #expect(found == ["a", "b"])
    }
  }

  @Test func expectsInsideAWorld() throws {
    try TestWorld.run { world in
      try #expect(world.run(until: Promise.run { 3 }) == 3)
      let failing = Promise.run { throw TestError(7) }
      #expect(throws: TestError(7)) { try world.run(until: failing) }
    }
    try TestWorld.run { world throws in
      #expect(try Promise.run { 3 }.waitForValue(within: .seconds(1)) == 3)
    }
    try TestWorld.run { world in
      try await #expect(Promise.run { 3 }.value == 3)
    }
  }

  @Test func waitsInAsyncCode() throws {
    let hits = try TestWorld.run { world in
      let search = Search { _ in .fulfilled(["b", "a"]) }
      try await world.clock.sleep(for: .seconds(86_400 * 365))
      return try await search.hits(for: "letters").value
    }
    #expect(hits == ["a", "b"])
  }

  @Test func leavesNothingBehind() throws {
    let world = TestWorld()
    let owner = world.run { Deferred<Int>() }
    let report = #expect(throws: WorldReport.self) { try world.verify() }
    #expect(report?.pending.first?.createdAt == owner.promise.createdAt)
    owner.fulfill(1)
    try world.verify()
  }

  @Test func asksTheServerTwice() {
    #expect(throws: ScheduleFailure.self) {
      try TestWorld.explore(schedules: 1_000, seed: 1) { world in
        let cache = Cache()
        let first = cache.value(for: "a")
        let second = Promise.run { "a" }.map { $0 }.then { cache.value(for: $0) }
        world.runUntilIdle()
        world.expect(first.isFulfilled && second.isFulfilled)
        world.expect(cache.requests == 1, "one request for both")
      }
    }
  }

  @Test func leavesAtAnyMoment() throws {
    let exploration =
      try TestWorld.exploreAll { world in
        let saved = Log<String>()
        let page = pause(.seconds(1), on: world.clock)
          .then { Promise.run { "draft" } }
          .map { saved.append($0) }
        world.sometime("the user leaves", within: .seconds(10)) { page.cancel() }
        world.advance(by: .seconds(10))
        world.expect(!page.isCancelled || saved.entries.isEmpty, "a page that was left has saved nothing")
      }
    #expect(exploration.isComplete)
    #expect(exploration.scheduleCount > 3)
  }

  @Test func runsWhenToldTo() {
    let context = ManualContext()
    let doubled = Promise.fulfilled(21).map(on: context) { $0 * 2 }
    #expect(doubled.isPending)
    context.runUntilIdle()
    #expect(doubled.isFulfilled)
  }
}

final class SearchTests: XCTestCase {
  func testAsksOnlyAfterAPause() throws {
    try TestWorld.run { world in
      let search = Search { _ in .fulfilled(["b", "a"]) }
      let hits = search.hits(for: "letters")
      world.advance(by: .milliseconds(299))
      XCTAssertTrue(hits.isPending)
      XCTAssertEqual(try world.run(until: hits), ["a", "b"])
    }
  }
}
