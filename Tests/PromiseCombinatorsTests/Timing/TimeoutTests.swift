import PromiseCombinators
import TestSupport
import Testing

@Suite("timeout", .leavingNothing) struct TimeoutTests {
  /// The way in which a source ends.
  enum End: CaseIterable, Sendable {
    case value, error, cancellation

    func settle(_ owner: Deferred<Int>) {
      switch self {
      case .value: owner.fulfill(1)
      case .error: owner.reject(TestError(1))
      case .cancellation: owner.promise.cancel(reason: TestError(1))
      }
    }
  }

  let world = TestWorld()
  let source = Deferred<Int>()

  private func link(_ promise: Promise<Int>) -> Promise<Int> { promise.map(on: world.main) { $0 } }

  @Test(
    "Progress and an outcome in time pass through a limit, which then has no timer", .rule("5.4"),
    arguments: End.allCases, [false, true])
  func inTime(_ end: End, isSettledBefore: Bool) {
    if isSettledBefore { end.settle(source) }
    let limited = world.run { source.promise.timeout(isSettledBefore ? .zero : .seconds(1)) }
    if !isSettledBefore {
      source.report(progress: 0.5)
      world.advance(by: .milliseconds(999))
      #expect(limited.isPending)
      #expect(limited.progress == 0.5)
      #expect(world.armed == 1)
      end.settle(source)
    }
    #expect(limited.state.value == (end == .value ? 1 : nil))
    #expect(limited.failure == (end == .value ? nil : .test(1)))
    #expect(limited.isCancelled == (end == .cancellation))
    #expect(world.armed == 0)
  }

  @Test("A limit is set in time if the promise is settled, and its handlers are still being scheduled")
  func setWhileFiring() {
    let timers = TardyTimers()
    let limits = Log<Promise<Int>>()
    let optionals = Log<Promise<Int?>>()
    source.promise.onFulfilled(on: .atOnce) { [source] _ in
      limits.append(source.promise.timeout(.zero, timers: timers))
      optionals.append(source.promise.timeoutOrNil(.zero, timers: timers))
      timers.ring()
    }
    source.fulfill(1)
    #expect(limits.entries.map(\.state.value) == [1])
    #expect(optionals.entries.map(\.state.value) == [.some(1)])
  }

  @Test("A promise is in time if its limit expires when it is settled, and its handlers are still being scheduled")
  func expiredWhileFiring() {
    let timers = TardyTimers()
    source.promise.onFulfilled(on: .atOnce) { _ in timers.ring() }
    let limited = source.promise.timeout(.zero, timers: timers)
    let optional = source.promise.timeoutOrNil(.zero, timers: timers)
    source.fulfill(1)
    #expect(limited.state.value == 1)
    #expect(optional.state.value == .some(1))
  }

  @Test(
    "An expired limit is rejected but not cancelled, then gives up its source or only leaves it, and its rescue runs",
    .rule("1.2", "4.5", "4.6", "4.8", "7.1"), arguments: [false, true], 0..<3)
  func expired(cancelsSource: Bool, length: Int) {
    let reports = reported {
      let work = StoppableWork()
      let backup = StoppableWork()
      let seen = Log<[Bool]>()
      let source = (0..<length).reduce(work.promise) { promise, _ in link(promise) }
      let limited = world.run { source.timeout(.seconds(1), cancelsSource: cancelsSource, fileID: "Here", line: 4) }
      work.deferred.onCancel(on: .atOnce) { error in
        seen.append([PromiseError.Code(error) == .timedOut, limited.isRejected, work.promise.isRejected])
      }
      let rescued = limited.rescue(on: world.main) { _ in backup.promise }
      world.advance(by: .seconds(1))
      #expect(limited.failure == .timedOut(4))
      #expect(!limited.isCancelled)
      #expect(source.isCancelled == cancelsSource)
      #expect(cancelsSource ? work.isStopped : work.goesOn)
      #expect(seen.entries == (cancelsSource ? [[true, true, true]] : []))
      world.runUntilIdle()
      #expect(rescued.isPending)
      #expect(backup.goesOn)
      link(source).cancel(upstream: true)
      #expect(work.isStopped)
      #expect(rescued.isPending)
      #expect(backup.goesOn)
      world.runUntilIdle(after: backup.deferred.fulfill(2))
      #expect(rescued.state.value == 2)
    }
    #expect(reports.isEmpty)
  }

  @Test("An expired limit rejects with the error of the call, which is the reason for its source, too", .rule("4.6"))
  func ownError() {
    let work = StoppableWork()
    let inner = world.run { work.promise.timeout(.seconds(1), error: TestError(1), cancelsSource: false) }
    let outer = world.run { work.promise.timeout(.seconds(2), error: TestError(2)) }
    world.advance(by: .seconds(1))
    #expect(inner.failure == .test(1))
    #expect(!inner.isCancelled)
    #expect(work.goesOn)
    world.advance(by: .seconds(1))
    #expect(outer.failure == .test(2))
    #expect(work.isStopped)
    #expect(work.reasonNumbers == [2])
  }

  @Test("A limit inside the work stays distinguishable from the limit around it")
  func limitInside() {
    let limited = world.run { source.promise.timeout(.seconds(1), line: 4).timeout(.seconds(2), error: TestError(2)) }
    world.advance(by: .seconds(3))
    #expect(limited.failure == .timedOut(4))
  }

  @Test("CancellationError as the error of a limit sets the cancelled mark", .rule("1.2"))
  func ownCancellation() {
    let limited = world.run { source.promise.timeout(.seconds(1), error: CancellationError()) }
    world.advance(by: .seconds(1))
    #expect(limited.isCancelled)
  }

  @Test("An expired limit does not stop a source that another consumer wants", .rule("4.4", "4.6"), arguments: 0..<2)
  func sharedSource(length: Int) {
    let other = link(source.promise)
    let input = (0..<length).reduce(source.promise) { promise, _ in link(promise) }
    let limited = world.run { input.timeout(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(limited.failure?.code == .timedOut)
    #expect(!limited.isCancelled)
    #expect(source.promise.isPending)
    #expect(other.isPending)
    other.cancel(upstream: true)
    #expect(source.promise.isCancelled)
  }

  @Test(
    "A second limit is rejected at once if the first has stopped the source, and otherwise waits", .rule("4.6", "4.10"),
    arguments: [false, true])
  func secondLimit(cancelsSource: Bool) {
    let first = world.run { source.promise.timeout(.seconds(1), cancelsSource: cancelsSource) }
    world.advance(by: .seconds(1))
    let second = world.run { source.promise.timeout(.seconds(9)) }
    #expect(first.failure?.code == .timedOut)
    #expect(second.failure?.code == (cancelsSource ? .timedOut : nil))
    #expect(second.isCancelled == cancelsSource)
    #expect(world.armed == (cancelsSource ? 0 : 1))
    source.fulfill(2)
    #expect(second.state.value == (cancelsSource ? nil : 2))
  }

  @Test("A cancelled limit neither cancels its source nor stays its consumer, and has no timer", .rule("4.0", "4.9"))
  func cancelled() {
    let limited = world.run { source.promise.timeout(.seconds(1), cancelsSource: true) }
    #expect(source.promise.debugDescription.contains("1 consumer"))
    limited.cancel()
    #expect(world.armed == 0)
    #expect(!source.promise.debugDescription.contains("consumer"))
    world.advance(by: .seconds(2))
    #expect(limited.isCancelled)
    #expect(source.promise.isPending)
  }

  @Test("The shorter of nested limits counts, and equal limits expire in the order in which they were made")
  func nested() {
    let limits = world.run {
      let inner = source.promise.timeout(.seconds(3), fileID: "Inner", line: 1)
      return [
        inner.timeout(.seconds(2), fileID: "Outer", line: 2), inner.timeout(.seconds(3), fileID: "Outer", line: 3),
      ]
    }
    world.advance(by: .seconds(5))
    #expect(limits.map(\.failure) == [.timedOut(2), .timedOut(1)])
  }

  @Test(
    "An error after the limit has expired is not reported, but an error after a cancel of the limited promise is",
    .rule("7.1"), arguments: [false, true], [false, true])
  func lateError(isExpired: Bool, observesClients: Bool) {
    let reports = reported {
      let owner = Deferred<Int>(cancelsWithoutClients: observesClients)
      let client = owner.promise
      let limited = world.run { client.timeout(.seconds(1), cancelsSource: false) }
      if isExpired { world.advance(by: .seconds(1)) } else { limited.cancel() }
      #expect(limited.failure?.code == (isExpired ? .timedOut : nil))
      owner.reject(TestError(7))
      withExtendedLifetime(client) {}
    }
    #expect(reports == (isExpired ? [] : [7]))
  }

  @Test("A limited promise leaves no consumer on its source when it expires", .rule("4.9"))
  func leaves() {
    for _ in 0..<1_000 {
      _ = world.run { source.promise.timeout(.seconds(1), cancelsSource: false).catch(on: world.main) { _ in } }
      world.advance(by: .seconds(1))
    }
    #expect(source.promise.isPending)
    #expect(!source.promise.debugDescription.contains("consumer"))
  }

  @Test(
    "In any order of answer, limit and cancel, a limited promise settles, its source matches and no timer is left",
    arguments: [false, true])
  func everyOrder(_ cancelsSource: Bool) throws {
    let ends = Log<String>()
    // If `recover` is cancelled when its handler is queued, the rejection stays unhandled (rules 2.5 and 7.1).
    // A plain `cancel` leaves the source.
    let checks = TestWorld.Checks.all.subtracting([.unhandledRejections, .unstoppedWork])
    let exploration = try TestWorld.exploreAll(checking: checks) { world in
      let census = Tracked.Census()
      do {
        let owner = Deferred<Int>()
        owner.onCancel { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) {} }
        let limited = owner.promise.timeout(.zero, cancelsSource: cancelsSource)
        let outcome = limited.map(on: world.main) { _ in "value" }.recover(on: world.main) { _ in "error" }
        world.sometime("answer") { owner.fulfill(1) }
        world.sometime("cancel") { limited.cancel() }
        world.runUntilIdle()
        let isLate = limited.failure?.code == .timedOut
        ends.append(isLate ? "late" : limited.isCancelled ? "cancelled" : "in time")
        world.expect(!limited.isPending && !outcome.isPending && world.armed == 0)
        world.expect(owner.promise.isCancelled == (isLate && cancelsSource))
        world.expect(limited.isFulfilled == (limited.state.value == 1))
      }
      world.expect(census.living == 0)
    }
    #expect(exploration.isComplete)
    #expect(Set(ends.entries) == ["late", "cancelled", "in time"])
  }

  @Test(
    "Five thousand limits on one promise and five thousand in a row settle in a loop", .rule("6.4"), .slow,
    arguments: [false, true])
  func long(_ isLate: Bool) {
    let source = world.run { Deferred<Int>() }
    let limits = world.run { (0..<5_000).map { _ in source.promise.timeout(.seconds(1)) } }
    let last = world.run { (0..<5_000).reduce(source.promise) { promise, _ in promise.timeout(.seconds(1)) } }
    #expect(world.armed == 10_000)
    if isLate { world.advance(by: .seconds(1)) } else { source.fulfill(1) }
    #expect(
      limits.allSatisfy { $0.isFulfilled == !isLate && !$0.isPending } && last.isFulfilled == !isLate
        && world.armed == 0)
  }
}
