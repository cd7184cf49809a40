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

  @Test("rows B5 B6: fulfilled, or rejected, when the time has passed, not before")
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

  @Test("row B5: no time at all is still later than now", arguments: [Duration.zero, .seconds(-1)])
  func none(_ delay: Duration) {
    let promise = world.run { Promise.after(delay, fulfill: 1) }
    #expect(promise.isPending)
    world.runUntilIdle()
    #expect(promise.values == 1)
  }

  @Test("rule 4.9: cancelled, or not wanted by anybody any more, its timer is cancelled and its value let go")
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

  @Test("rule 1.3: cancelled while its timer rings, it is not settled a second time", arguments: [false, true])
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

  @Test("rule 6.1: nobody need hold it, if something waits for it")
  func afterUnheld() {
    let log = Log<Int>()
    world.run { _ = Promise.after(.seconds(1), fulfill: 3).tap { log.append($0) } }
    world.advance(by: .seconds(1))
    #expect(log.entries == [3])
  }

  // MARK: delay

  @Test("row D15: the value comes some time after the source's; the time begins when that is fulfilled")
  func delay() {
    let delayed = world.run { source.promise.delay(.seconds(1)) }
    world.advance(by: .seconds(5))
    source.fulfill(1)
    world.advance(by: .milliseconds(999))
    #expect(delayed.isPending)
    world.advance(by: .milliseconds(1))
    #expect(delayed.values == 1)
  }

  @Test("row D15: an error passes at once, with its mark")
  func delayedError() {
    let delayed = world.run { source.promise.delay(.seconds(1)) }
    source.promise.cancel(reason: TestError(2))
    #expect(delayed.isCancelled && delayed.errorNumber == 2)
    #expect(armed() == 0)
  }

  @Test("rule 4.9: a delayed promise that is cancelled cancels its timer and lets the value go")
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
    // The source has its value, and nobody else.
    #expect(census.living == 1)
  }

  @Test("rule 5.4: what is delayed, or limited, shows the progress of its source")
  func progress() {
    let (delayed, limited) = world.run { (source.promise.delay(.seconds(1)), source.promise.timeout(.seconds(1))) }
    source.report(progress: 0.5)
    #expect(delayed.progress == 0.5 && limited.progress == 0.5)
  }

  // MARK: timeout

  @Test("row D16: what comes in time passes, value or error, and the timer is cancelled", arguments: [true, false])
  func inTime(_ isFulfilled: Bool) {
    let limited = world.run { source.promise.timeout(.seconds(1)) }
    world.advance(by: .milliseconds(999))
    if isFulfilled { source.fulfill(1) } else { source.reject(TestError(1)) }
    #expect(limited.values == (isFulfilled ? 1 : nil) && limited.errorNumber == (isFulfilled ? nil : 1))
    #expect(armed() == 0)
  }

  @Test("A late source goes on if the limit only leaves it", .rule("4.6"), .feature("D16"))
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

  @Test("An expired limit cancels its source with its own error", .rule("4.6"), .feature("D16"))
  func cancelsSource() {
    let limited = world.run { source.promise.timeout(.seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(limited.isRejected && !limited.isCancelled && source.promise.isCancelled)
    guard case .timedOut? = source.promise.ownError else {
      Issue.record("\(source.promise.state)")
      return
    }
  }

  @Test("row D16: a promise that is settled is in time, and needs no timer")
  func settled() {
    let limited = world.run { Promise.fulfilled(1).timeout(.zero) }
    #expect(limited.values == 1 && armed() == 0)
  }

  @Test("rule 4.9: cancelled, it cancels its timer; timed out, it leaves nothing with its source")
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

  @Test("rule 4.2: to cancel the source cancels what is limited, delayed, or both")
  func descendants() {
    let both = world.run { source.promise.delay(.seconds(1)).timeout(.seconds(5)) }
    source.promise.cancel()
    #expect(both.isCancelled && armed() == 0)
  }

  @Test("row D16: the owner's own limit rejects its promise, and what comes too late is refused")
  func ownersLimit() {
    world.run { source.timeout(after: .seconds(1)) }
    world.advance(by: .seconds(1))
    guard case .timedOut? = source.promise.ownError else {
      Issue.record("\(source.promise.state)")
      return
    }
    #expect(!source.fulfill(1) && !source.promise.isCancelled)
  }

  @Test("rules 4.9 6.2: the owner's own limit keeps neither the owner nor, once it is settled, a timer")
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

  @Test("row N4: whatever the order of an answer and its limit, it is one or the other, and nothing is left")
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

  @Test("rule 4.9, row B5: a time limit made of race and after leaves no timer when the work has won")
  func raceWithAfter() {
    let work = Deferred<Int>()
    let first = world.run { Promise.race([work.promise, .after(.seconds(60), fulfill: 0)]) }
    #expect(throws: WorldReport.self) { try world.verify(.timers) }
    work.fulfill(1)
    #expect(first.values == 1)
    #expect(throws: Never.self) { try world.verify(.timers) }
  }
}
