import TestSupport
import Testing

@Suite("Hooks for the end of a promise", .leavingNothing, .rule("4.5")) struct OnEndTests {
  private let context = ManualContext()
  private let ends = Log<Status<Int>>()

  private func logEnd(of owner: Deferred<Int>) { owner.onEnd(on: .atOnce) { [ends] in ends.append(Status($0)) } }

  @Test("The hook runs once with the outcome, whatever settles a promise", arguments: OnCancelTests.Settling.allCases)
  func settled(_ settling: OnCancelTests.Settling) {
    let promise: Promise<Int>
    do {
      let owner = Deferred<Int>()
      promise = owner.promise
      logEnd(of: owner)
      settling.apply(to: owner)
    }
    #expect(ends.entries == [promise.status])
    promise.cancel()
    #expect(ends.entries.count == 1)
  }

  @Test("The hook runs once after a cancellation, with the reason, and at once if it is registered late")
  func cancelled() {
    let owner = Deferred<Int>()
    logEnd(of: owner)
    owner.promise.cancel(reason: TestError(3))
    owner.fulfill(1)
    #expect(ends.entries == [.failed(3)])
    let late = Log<Int>()
    owner.onEnd { _ in late.append(1) }
    #expect(late.entries == [1])
  }

  @Test("The hook runs as a step of the pool after a settlement that is no cancellation", .rule("2.1"))
  func pool() throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let ends = Log<Int>()
      owner.onEnd { ends.append((try? $0.get()) ?? -1) }
      owner.fulfill(1)
      owner.onEnd { ends.append(((try? $0.get()) ?? -1) + 1) }
      #expect(ends.entries.isEmpty)
      world.runUntilIdle()
      #expect(ends.entries == [1, 2])
    }
  }

  @Test("The hook does not handle a rejection", .rule("7.1"))
  func handlesNothing() {
    expectUnhandled([Unhandled(1, line: 1)]) {
      let owner = Deferred<Int>(line: 1)
      logEnd(of: owner)
      owner.reject(TestError(1))
    }
    #expect(ends.entries == [.failed(1)])
  }

  @Test("The hook is released after it has run", .rule("4.9"))
  func released() {
    let census = Tracked.Census()
    let owner = Deferred<Int>()
    owner.onEnd(on: context) { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) {} }
    owner.fulfill(1)
    #expect(census.living == 1)
    context.runUntilIdle()
    #expect(census.living == 0)
  }
}
