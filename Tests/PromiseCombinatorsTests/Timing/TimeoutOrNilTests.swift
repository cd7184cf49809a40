import PromiseCombinators
import TestSupport
import Testing

@Suite("timeoutOrNil", .leavingNothing) struct TimeoutOrNilTests {
  let world = TestWorld()
  let source = Deferred<Int>()

  @Test(
    "Progress and an outcome in time pass through a limit, which then has no timer", .rule("4.9", "5.4"),
    arguments: TimeoutTests.End.allCases, [false, true])
  func inTime(_ end: TimeoutTests.End, isSettledBefore: Bool) {
    if isSettledBefore { end.settle(source) }
    let limited = world.run { source.promise.timeoutOrNil(isSettledBefore ? .zero : .seconds(1)) }
    if !isSettledBefore {
      source.report(progress: 0.5)
      world.advance(by: .milliseconds(999))
      #expect(limited.isPending)
      #expect(limited.progress == 0.5)
      #expect(world.armed == 1)
      end.settle(source)
    }
    #expect(limited.state.value == (end == .value ? .some(1) : nil))
    #expect(limited.failure == (end == .value ? nil : .test(1)))
    #expect(limited.isCancelled == (end == .cancellation))
    #expect(world.armed == 0)
  }

  @Test(
    "An expired limit gives nil, then gives up its source or only leaves it, and a later error is handled",
    .rule("4.6", "7.1"), arguments: [false, true])
  func expired(cancelsSource: Bool) {
    let reports = reported {
      let work = StoppableWork()
      let limited = world.run { work.promise.timeoutOrNil(.seconds(1), cancelsSource: cancelsSource) }
      world.advance(by: .seconds(1))
      #expect(limited.state.value == .some(nil))
      #expect(cancelsSource ? work.isStopped : work.goesOn)
      #expect(work.reasons.count == (cancelsSource ? 1 : 0))
      #expect(work.reasons.allSatisfy { $0 is CancellationError })
      if !cancelsSource { work.deferred.reject(TestError(1)) }
      world.runUntilIdle()
    }
    #expect(reports.isEmpty)
  }

  @Test("An expired limit does not stop a source that another consumer wants", .rule("4.4", "4.6"))
  func sharedSource() {
    let other = source.promise.map(on: world.main) { $0 }
    let limited = world.run { source.promise.timeoutOrNil(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(limited.state.value == .some(nil))
    #expect(source.promise.isPending)
    other.cancel(upstream: true)
    #expect(source.promise.isCancelled)
  }

  @Test("A cancelled limit neither cancels its source nor stays its consumer, and has no timer", .rule("4.0", "4.9"))
  func cancelled() {
    let limited = world.run { source.promise.timeoutOrNil(.seconds(1)) }
    #expect(source.promise.debugDescription.contains("1 consumer"))
    limited.cancel()
    #expect(world.armed == 0)
    #expect(!source.promise.debugDescription.contains("consumer"))
    world.advance(by: .seconds(2))
    #expect(limited.isCancelled)
    #expect(source.promise.isPending)
  }

  @Test("cancel(upstream: true) gives up the source", .rule("4.4"))
  func givenUp() {
    let limited = world.run { source.promise.timeoutOrNil(.seconds(1)) }
    limited.cancel(upstream: true)
    #expect(source.promise.isCancelled)
    #expect(world.armed == 0)
  }

  @Test("The value of an optional promise and an expired limit stay distinguishable")
  func optional() {
    let source = Deferred<Int?>()
    let limited = world.run { source.promise.timeoutOrNil(.seconds(1)) }
    source.fulfill(nil)
    #expect(limited.state.value == .some(.some(nil)))
  }

  @Test("A value whose handler runs at the moment of the limit is either given or not, and nothing is rejected")
  func atTheLimit() throws {
    let values = Log<Int?>()
    try TestWorld.exploreAll { world in
      let limited = Promise.after(.seconds(1), fulfill: 7).map { $0 }.timeoutOrNil(.seconds(1))
      world.advance(by: .seconds(1))
      world.expect(limited.isFulfilled)
      values.append(limited.state.value ?? 0)
    }
    #expect(Set(values.entries) == [7, nil])
  }

  @Test("A pending promise names its operator")
  func description() {
    let limited = world.run { source.promise.timeoutOrNil(.seconds(1)) }
    #expect(limited.debugDescription.contains("timeoutOrNil"))
  }

  @Test("The examples of limits expire")
  func examples() {
    struct ReportTooSlow: Error {}
    struct News {
      func headline() -> Promise<String> { .after(.seconds(9), fulfill: "late") }
    }
    let pages = [1, 2]
    @Sendable func build(_ pages: [Int]) -> Promise<String> { .after(.seconds(90), fulfill: "late") }
    let news = News()
    world.run {
      let report = build(pages).timeout(.seconds(60), error: ReportTooSlow())
      let headline = news.headline().timeoutOrNil(.milliseconds(300))
      world.advance(by: .seconds(60))
      #expect(report.error is ReportTooSlow)
      #expect(headline.state.value == .some(nil))
    }
  }
}
