import TestSupport
import Testing

@Suite("Order of releases and what a deinit finds", .leavingNothing) struct ReleaseOrderTests {
  private let context = ManualContext()
  private let census = Tracked.Census()

  @Test("The deinit of a capture finds everything settled that the same cancel settles", .rule("4.3", "6.5"))
  func captures() {
    let log = Log<[Bool]>()
    let owner = Deferred<Int>()
    let links = Locked<[Promise<Int>]>([])
    for number in 1...3 {
      let end = AtEnd { log.append(links.withLock { $0.map(\.isPending) }) }
      let link = owner.promise.map(on: context) { value in withExtendedLifetime(end) { value + number } }
      links.withLock { $0.append(link) }
    }
    owner.promise.cancel()
    #expect(log.entries == Array(repeating: [false, false, false], count: 3))
  }

  @Test("The deinit of a handled error finds the next handlers scheduled", .rule("6.5"), arguments: [false, true])
  func error(throwsAnother: Bool) {
    let log = Log<Int>()
    let next = ManualContext()
    let result: Promise<Int>
    do {
      let source = Promise<Int>.rejected(AtEnd { [next] in log.append(next.count) })
      result = source.recover(on: context) { _ in
        if throwsAnother { throw TestError(1) }
        return 1
      }
    }
    result.onSettled(on: next) { _ in }
    context.runUntilIdle()
    #expect(log.entries == [1])
    next.runUntilIdle()
  }

  @Test("A value that a handler returns after its promise was cancelled is released", .rule("6.1"))
  func returnedTooLate() {
    let own = Locked<Promise<Tracked>?>(nil)
    let derived = Promise.fulfilled(1).map(on: context) { [census] _ in
      own.withLock { $0.take() }?.cancel()
      return Tracked(census)
    }
    own.withLock { $0 = derived }
    context.runUntilIdle()
    #expect(derived.isCancelled)
    #expect(census.living == 0)
  }

  @Test("A value that a kept handler for an error returns is released", .rule("2.5", "6.1"))
  func keptHandler() {
    let owner = Deferred<Int>()
    let runs = Log<Int>()
    let derived = owner.promise.map(
      on: context, fulfilled: { [census] _ in Tracked(census) },
      rejected: { [census] _ in
        runs.append(1)
        return Tracked(census)
      })
    derived.cancel()
    owner.reject(TestError(1))
    context.runUntilIdle()
    #expect(runs.entries == [1])
    #expect(census.living == 0)
  }
}
