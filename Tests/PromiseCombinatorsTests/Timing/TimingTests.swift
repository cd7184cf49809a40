import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("after, delay, timeout", .leavingNothing)
struct TimingTests {
  let world = TestWorld()
  let source = Deferred<Int>()

  private func armed() -> Int {
    do { try world.verify(.timers) } catch { return (error as? WorldReport)?.timers.count ?? -1 }
    return 0
  }

  // MARK: after

  @Test("after fulfils or rejects when the time has passed, and not before")
  func after() {
    let (value, error, void) = world.run {
      (
        Promise.after(.seconds(2), fulfill: 7), Promise<Int>.after(.seconds(2), reject: TestError(7)),
        Promise.after(.seconds(2))
      )
    }
    world.advance(by: .seconds(2) - .nanoseconds(1))
    #expect(value.isPending && error.isPending && void.isPending)
    world.advance(by: .nanoseconds(1))
    #expect(value.values == 7 && error.errorNumber == 7 && void.isFulfilled)
  }

  @Test(
    "after with a time of zero or less settles later, not inside the call", arguments: [Duration.zero, .seconds(-1)])
  func none(_ delay: Duration) {
    let promise = world.run { Promise.after(delay, fulfill: 1) }
    #expect(promise.isPending)
    world.runUntilIdle()
    #expect(promise.values == 1)
  }

  @Test("after cancels its timer and releases its value when it is cancelled or no longer wanted", .rule("4.9"))
  func afterCancelled() {
    let census = Tracked.Census()
    var promise: Promise<Tracked>? = world.run { .after(.seconds(1), fulfill: Tracked(census)) }
    #expect(armed() == 1)
    promise?.cancel()
    #expect(armed() == 0 && census.living == 0)
    promise = world.run { .after(.seconds(1), fulfill: Tracked(census)) }
    promise = nil
    #expect(armed() == 0 && census.living == 0)
  }

  @Test(
    "A promise of after that is cancelled while its timer fires is not settled a second time", .rule("1.3"),
    arguments: [false, true])
  func afterCancelledTooLate(_ rejects: Bool) {
    let reports = Log<SecondSettlement>()
    Diagnostics.scoped(secondSettlement: reports.append) {
      let timers = TardyTimers()
      let promise =
        rejects
        ? Promise<Int>.after(.seconds(1), reject: TestError(1), timers: timers)
        : .after(.seconds(1), fulfill: 1, timers: timers)
      promise.cancel()
      timers.ring()
      #expect(promise.isCancelled)
    }
    #expect(reports.entries.isEmpty)
  }

  @Test("A promise of after needs no reference if an observer waits for it", .rule("6.1"))
  func afterUnheld() {
    let log = Log<Int>()
    world.run { _ = Promise.after(.seconds(1), fulfill: 3).tap { log.append($0) } }
    world.advance(by: .seconds(1))
    #expect(log.entries == [3])
  }

  // MARK: delay

  @Test("delay fulfils some time after its source, counted from the fulfilment of the source")
  func delay() {
    let delayed = world.run { source.promise.delay(.seconds(1)) }
    world.advance(by: .seconds(5))
    source.fulfill(1)
    world.advance(by: .milliseconds(999))
    #expect(delayed.isPending)
    world.advance(by: .milliseconds(1))
    #expect(delayed.values == 1)
  }

  @Test("delay passes on a cancellation at once, with its reason")
  func delayedError() {
    let delayed = world.run { source.promise.delay(.seconds(1)) }
    source.promise.cancel(reason: TestError(2))
    #expect(delayed.isCancelled && delayed.errorNumber == 2)
    #expect(armed() == 0)
  }

  @Test("A delayed promise that is cancelled cancels its timer and releases the value", .rule("4.9"))
  func delayCancelled() {
    let census = Tracked.Census()
    let source = Deferred<Tracked>()
    do {
      let delayed = world.run { source.promise.delay(.seconds(1)) }
      source.fulfill(Tracked(census))
      #expect(armed() == 1)
      delayed.cancel()
      #expect(armed() == 0 && delayed.isCancelled)
    }
    // Only the source retains the value.
    #expect(census.living == 1)
  }

  @Test("A delayed or limited promise shows the progress of its source", .rule("5.4"))
  func progress() {
    let (delayed, limited) = world.run { (source.promise.delay(.seconds(1)), source.promise.timeout(.seconds(1))) }
    source.report(progress: 0.5)
    #expect(delayed.progress == 0.5 && limited.progress == 0.5)
  }

  // MARK: timeout

  @Test("A value or error that comes in time passes through a limit and cancels its timer", arguments: [true, false])
  func inTime(_ isFulfilled: Bool) {
    let limited = world.run { source.promise.timeout(.seconds(1)) }
    world.advance(by: .milliseconds(999))
    if isFulfilled { source.fulfill(1) } else { source.reject(TestError(1)) }
    #expect(limited.values == (isFulfilled ? 1 : nil) && limited.errorNumber == (isFulfilled ? nil : 1))
    #expect(armed() == 0)
  }

  @Test("A late source goes on if the limit only leaves it", .rule("4.6"))
  func late() {
    let limited = world.run { source.promise.timeout(.seconds(1), cancelsSource: false, fileID: "Here", line: 4) }
    world.advance(by: .seconds(1))
    guard case .timedOut(let site)? = limited.ownError else {
      Issue.record("\(limited.state)")
      return
    }
    #expect(site.line == 4 && !limited.isCancelled && source.promise.isPending)
    source.fulfill(1)
    #expect(limited.isRejected)
  }

  @Test("An expired limit cancels its source with its own error", .rule("4.6"))
  func cancelsSource() {
    let limited = world.run { source.promise.timeout(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(limited.isRejected && !limited.isCancelled && source.promise.isCancelled)
    guard case .timedOut? = source.promise.ownError else {
      Issue.record("\(source.promise.state)")
      return
    }
  }

  @Test("A settled promise is in time, and needs no timer")
  func settled() {
    let limited = world.run { Promise.fulfilled(1).timeout(.zero) }
    #expect(limited.values == 1 && armed() == 0)
  }

  @Test(
    "A limited promise leaves no timer when it is cancelled, and no consumer on its source when it expires",
    .rule("4.9"))
  func leaves() {
    let limited = world.run { source.promise.timeout(.seconds(1)) }
    limited.cancel()
    #expect(armed() == 0)
    for _ in 0..<1_000 {
      _ = world.run { source.promise.timeout(.seconds(1), cancelsSource: false).catch(on: world.main) { _ in } }
      world.advance(by: .seconds(1))
    }
    #expect(source.promise.isPending && !source.promise.debugDescription.contains("consumer"))
  }

  @Test("A cancel of the source cancels a promise that is both delayed and limited", .rule("4.2"))
  func descendants() {
    let both = world.run { source.promise.delay(.seconds(1)).timeout(.seconds(5)) }
    source.promise.cancel()
    #expect(both.isCancelled && armed() == 0)
  }

  @Test("The limit of an owner rejects its promise, and refuses a value that comes too late")
  func ownersLimit() {
    world.run { source.timeout(after: .seconds(1)) }
    world.advance(by: .seconds(1))
    guard case .timedOut? = source.promise.ownError else {
      Issue.record("\(source.promise.state)")
      return
    }
    #expect(!source.fulfill(1) && !source.promise.isCancelled)
  }

  @Test("The limit of an owner keeps neither the owner nor, after the promise is settled, a timer", .rule("4.9", "6.2"))
  func ownersLimitLetsGo() {
    var owner: Deferred<Int>? = Deferred()
    let promise = owner?.promise
    world.run { owner?.timeout(after: .seconds(1)) }
    #expect(armed() == 1)
    owner = nil
    guard case .broken? = promise?.ownError else {
      Issue.record("\(String(describing: promise?.state))")
      return
    }
    #expect(armed() == 0)
  }

  @Test("In any order of answer, limit and cancel, a limited promise settles and leaves nothing behind")
  func everyOrder() throws {
    // If `recover` is cancelled when its handler is queued, the rejection stays unhandled (rules 2.5 and 7.1).
    let checks = TestWorld.Checks.all.subtracting(.unhandledRejections)
    let exploration = try TestWorld.exploreAll(checking: checks) { world in
      let owner = Deferred<Int>()
      let limited = owner.promise.timeout(.seconds(1)).map { $0 + 1 }.recover { _ in 0 }
      world.clock.schedule(after: .seconds(1)) {
        world.sometime("the answer comes") { owner.fulfill(1) }
        world.sometime("the user gives up") { limited.cancel() }
      }
      world.advance(by: .seconds(1))
      world.expect(!limited.isPending)
    }
    #expect(exploration.isComplete && exploration.schedules > 1)
  }

  @Test("A time limit made of race and after leaves no timer when the work wins", .rule("4.9"))
  func raceWithAfter() {
    let work = Deferred<Int>()
    let first = world.run { Promise.race([work.promise, .after(.seconds(60), fulfill: 0)]) }
    #expect(throws: WorldReport.self) { try world.verify(.timers) }
    work.fulfill(1)
    #expect(first.values == 1)
    #expect(throws: Never.self) { try world.verify(.timers) }
  }
}
