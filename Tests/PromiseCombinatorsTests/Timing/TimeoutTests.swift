import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("timeout: limits of time, what it leaves alone, every order", .leavingNothing)
struct TimeoutTests {
  let world = TestWorld()
  let source = Deferred<Int>()

  private func isTimedOut(_ promise: Promise<Int>) -> Bool {
    if case .timedOut? = promise.ownError { true } else { false }
  }

  @Test(
    "row D16: no time, or less, is as soon as possible, not in the call",
    arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min)])
  func none(_ time: Duration) {
    let (limited, owner) = world.run {
      let owner = Deferred<Int>()
      owner.timeout(after: time)
      return (source.promise.timeout(time), owner)
    }
    #expect(limited.isPending && owner.promise.isPending)
    world.runUntilIdle()
    #expect(isTimedOut(limited) && isTimedOut(owner.promise) && source.promise.isCancelled && world.armed == 0)
  }

  @Test(
    "row D16: times beyond all time are no trap", arguments: [Duration.seconds(Int64.max), .seconds(1_000_000_000_000)])
  func huge(_ time: Duration) {
    let limited = world.run {
      source.timeout(after: time)
      return source.promise.timeout(time)
    }
    world.advance(by: .seconds(1_000_000))
    #expect(limited.isPending)
    source.fulfill(1)
    #expect(limited.values == 1 && world.armed == 0)
  }

  @Test("row D16: a source that is rejected, or cancelled, is in time, with its mark", arguments: [false, true])
  func settled(_ isCancelled: Bool) {
    if isCancelled { source.promise.cancel(reason: TestError(2)) } else { source.reject(TestError(2)) }
    let limited = world.run { source.promise.timeout(.zero, cancelsSource: true) }
    #expect(limited.errorNumber == 2 && limited.isCancelled == isCancelled && world.armed == 0)
  }

  @Test("An expired limit leaves the source to its other consumers", .rule("4.6"), .feature("D16"))
  func others() {
    let (other, leaving, givingUp) = world.run {
      (
        source.promise.map(on: world.main) { $0 }, source.promise.timeout(.seconds(1), cancelsSource: false),
        source.promise.timeout(.seconds(2))
      )
    }
    world.advance(by: .seconds(1))
    #expect(isTimedOut(leaving) && other.isPending && givingUp.isPending && source.promise.isPending)
    world.advance(by: .seconds(1))
    #expect(isTimedOut(givingUp) && !givingUp.isCancelled && source.promise.isPending && other.isPending)
    other.cancel(upstream: true)
    #expect(source.promise.isCancelled)
  }

  @Test("row D16: a limit that is cancelled does not cancel its source, neither then nor when its time would be up")
  func cancelled() {
    let limited = world.run { source.promise.timeout(.seconds(1), cancelsSource: true) }
    limited.cancel()
    world.advance(by: .seconds(2))
    #expect(limited.isCancelled && source.promise.isPending && world.armed == 0)
  }

  @Test(
    "Giving up what is limited cancels the timer, and the source unless another consumer wants it", .rule("4.4", "4.9"),
    arguments: [false, true])
  func givesUp(_ isWanted: Bool) {
    let (limited, other) = world.run {
      (source.promise.timeout(.seconds(1)), isWanted ? source.promise.map { $0 } : nil)
    }
    limited.cancel(upstream: true)
    #expect(
      limited.isCancelled && source.promise.isCancelled == !isWanted && other?.isPending != false && world.armed == 0)
  }

  @Test("row D16: of limits one in another the shorter counts; two at one time are in the order of their making")
  func nested() {
    let limits = world.run {
      let inner = source.promise.timeout(.seconds(3), fileID: "Inner", line: 1)
      return [
        inner.timeout(.seconds(2), fileID: "Outer", line: 2), inner.timeout(.seconds(3), fileID: "Outer", line: 3),
      ]
    }
    world.advance(by: .seconds(5))
    let lines = limits.map { limit in if case .timedOut(let site)? = limit.ownError { site.line } else { 0 } }
    #expect(lines == [2, 1])
  }

  @Test("row D16: the answer and the limit at one time: the timer that was made first")
  func tie() {
    let (first, second) = world.run {
      (Promise.after(.seconds(1), fulfill: 1).timeout(.seconds(1)), Deferred<Int>())
    }
    let limited = world.run { second.promise.timeout(.seconds(1)) }
    world.clock.schedule(after: .seconds(1)) { second.fulfill(2) }
    world.advance(by: .seconds(1))
    #expect(first.values == 1 && isTimedOut(limited))
  }

  @Test("row D16: what the owner's limit rejects is told to those who follow, once, and counts against nobody")
  func owners() throws {
    try TestWorld.run { world in
      let owner = Deferred<Int>()
      let log = Log<String>()
      for seconds in [3, 1, 2] { owner.timeout(after: .seconds(seconds), fileID: "Here", line: UInt(seconds)) }
      owner.promise.onRejected(on: world.main) { log.append("\($0)") }
      world.advance(by: .seconds(1))
      world.expect(log.entries.count == 1 && owner.promise.isRejected && !owner.promise.isCancelled)
      world.expect(world.armed == 0, "the other limits are not needed any more")
      if case .timedOut(let site)? = owner.promise.ownError {
        world.expect(site.line == 1)
      } else {
        world.expect(false)
      }
    }
  }

  @Test("rule 1.3: the owner who is late is told so, and reported; the library's own limits never are")
  func lateOwner() {
    let reports = reported {
      let owner = world.run { Deferred<Int>() }
      world.run {
        owner.timeout(after: .seconds(1))
        owner.timeout(after: .seconds(1))
        owner.promise.timeout(.seconds(1)).timeout(.seconds(1)).onRejected(on: world.main) { _ in }
      }
      world.advance(by: .seconds(5))
      #expect(owner.promise.isRejected)
    }
    #expect(reports.isEmpty)
  }

  @Test("row D16: an owner's limit that is over when its promise follows another leaves that to others")
  func following() {
    let (owner, followed) = world.run { (Deferred<Int>(), Deferred<Int>()) }
    let other = world.run { followed.promise.map(on: world.main) { $0 } }
    owner.follow(followed.promise)
    world.run { owner.timeout(after: .seconds(1)) }
    world.advance(by: .seconds(1))
    #expect(isTimedOut(owner.promise) && followed.promise.isPending && other.isPending)
    followed.fulfill(1)
    #expect(isTimedOut(owner.promise) && other.isPending)
  }

  @Test("The owner's limit keeps no owner that follows, and gives up what is followed", .rule("4.6", "4.9", "6.2"))
  func followingGone() {
    let promise: Promise<Int> = world.run {
      let owner = Deferred<Int>()
      owner.follow(source.promise)
      owner.timeout(after: .seconds(1))
      return owner.promise
    }
    #expect(promise.isPending && world.armed == 1)
    world.advance(by: .seconds(1))
    #expect(isTimedOut(promise) && source.promise.isCancelled)
  }

  @Test("rule 7.1: in time or late, nothing is reported if the limited promise is looked at", arguments: [false, true])
  func unhandled(_ isLate: Bool) throws {
    try TestWorld.run { world in
      let source = Deferred<Int>()
      let limited = source.promise.timeout(.seconds(1)).recover(on: world.main) { _ in 0 }
      if isLate { world.advance(by: .seconds(1)) }
      if isLate { source.fulfill(1) } else { source.reject(TestError(1)) }
      world.runUntilIdle()
      world.expect(limited.values == 0)
    }
  }

  @Test("rule 6.4: five thousand limits on one promise, and in a row", .slow, arguments: [false, true])
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

  @Test(
    "row N4: in any order of answer, limit and cancellation: one of them, the source as it should be, no timer left",
    arguments: [false, true])
  func everyOrder(_ cancelsSource: Bool) throws {
    let ends = Log<String>()
    // If `recover` is cancelled when its handler is queued, the rejection stays unhandled (rules 2.5 and 7.1).
    let checks = TestWorld.Checks.all.subtracting(.unhandledRejections)
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
        let isLate = isTimedOut(limited)
        ends.append(isLate ? "late" : limited.isCancelled ? "cancelled" : "in time")
        world.expect(!limited.isPending && !outcome.isPending && world.armed == 0)
        world.expect(owner.promise.isCancelled == (isLate && cancelsSource))
        world.expect(limited.isFulfilled == (limited.values == 1))
      }
      world.expect(census.living == 0)
    }
    #expect(exploration.isComplete && Set(ends.entries) == ["late", "cancelled", "in time"])
  }

  @Test("row N4: in any order of the owner and its limit: the one or the other, and the owner is told which")
  func everyOrderOfOwner() throws {
    let ends = Log<Bool>()
    _ = try TestWorld.exploreAll(checking: [.pendingPromises, .unhandledRejections, .timers, .waiting, .objects]) {
      world in
      let owner = Deferred<Int>()
      let promise = owner.promise
      promise.onRejected(on: world.main) { _ in }
      owner.timeout(after: .zero)
      world.sometime("answer") {
        let isFirst = owner.fulfill(1)
        ends.append(isFirst)
        world.expect(isFirst == promise.isFulfilled)
      }
      world.runUntilIdle()
      world.expect(promise.isFulfilled || isTimedOut(promise))
    }
    #expect(Set(ends.entries) == [false, true])
  }

  @Test(
    "rule 7.1: who has heard of the timeout need not hear of an error that comes after it; who gave up before has not")
  func lateError() {
    let world = TestWorld()
    for isTimedOut in [true, false] {
      let owner = world.run { Deferred<Int>() }
      let limited = world.run { owner.promise.timeout(.seconds(1), cancelsSource: false) }
      if isTimedOut { world.advance(by: .seconds(1)) } else { limited.cancel() }
      #expect(limited.ownError == nil ? limited.isCancelled : isTimedOut)
      owner.reject(TestError(7))
    }
    let report = #expect(throws: WorldReport.self) { try world.verify(.unhandledRejections) }
    #expect(report?.unhandledRejections.count == 1)
  }
}
