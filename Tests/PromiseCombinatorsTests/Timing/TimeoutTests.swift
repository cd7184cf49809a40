import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("timeout: extreme times, other consumers and order", .leavingNothing)
struct TimeoutTests {
  let world = TestWorld()
  let source = Deferred<Int>()

  private func isTimedOut(_ promise: Promise<Int>) -> Bool {
    if case .timedOut? = promise.ownError { true } else { false }
  }

  @Test(
    "A limit of zero or less expires as soon as possible, but not inside the call",
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

  @Test("timeout accepts extremely long times", arguments: [Duration.seconds(Int64.max), .seconds(1_000_000_000_000)])
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

  @Test(
    "A source that is already rejected or cancelled is in time, and passes on its error or cancellation",
    arguments: [false, true])
  func settled(_ isCancelled: Bool) {
    if isCancelled { source.promise.cancel(reason: TestError(2)) } else { source.reject(TestError(2)) }
    let limited = world.run { source.promise.timeout(.zero, cancelsSource: true) }
    #expect(limited.errorNumber == 2 && limited.isCancelled == isCancelled && world.armed == 0)
  }

  @Test("An expired limit leaves the source to its other consumers", .rule("4.6"))
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

  @Test("A cancelled limit does not cancel its source, neither at once nor when its time would be up")
  func cancelled() {
    let limited = world.run { source.promise.timeout(.seconds(1), cancelsSource: true) }
    limited.cancel()
    world.advance(by: .seconds(2))
    #expect(limited.isCancelled && source.promise.isPending && world.armed == 0)
  }

  @Test(
    "Giving up a limited promise cancels the timer, and the source unless another consumer wants it",
    .rule("4.4", "4.9"),
    arguments: [false, true])
  func givesUp(_ isWanted: Bool) {
    let (limited, other) = world.run {
      (source.promise.timeout(.seconds(1)), isWanted ? source.promise.map { $0 } : nil)
    }
    limited.cancel(upstream: true)
    #expect(
      limited.isCancelled && source.promise.isCancelled == !isWanted && other?.isPending != false && world.armed == 0)
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
    let lines = limits.map { limit in if case .timedOut(let site)? = limit.ownError { site.line } else { 0 } }
    #expect(lines == [2, 1])
  }

  @Test("If the answer and the limit are due at the same time, the timer that was made first wins")
  func tie() {
    let (first, second) = world.run {
      (Promise.after(.seconds(1), fulfill: 1).timeout(.seconds(1)), Deferred<Int>())
    }
    let limited = world.run { second.promise.timeout(.seconds(1)) }
    world.clock.schedule(after: .seconds(1)) { second.fulfill(2) }
    world.advance(by: .seconds(1))
    #expect(first.values == 1 && isTimedOut(limited))
  }

  @Test("The shortest of several limits of an owner rejects its promise once, and the other timers are cancelled")
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

  @Test("Limits of an owner and of its promise report no second settlement when they expire together", .rule("1.3"))
  func lateOwner() {
    let owner = world.run { Deferred<Int>() }
    world.run {
      owner.timeout(after: .seconds(1))
      owner.timeout(after: .seconds(1))
      owner.promise.timeout(.seconds(1)).timeout(.seconds(1)).onRejected(on: world.main) { _ in }
    }
    world.advance(by: .seconds(5))
    #expect(owner.promise.isRejected)
    #expect(throws: Never.self) { try world.verify(.secondSettlements) }
  }

  @Test("An owner's expired limit leaves the promise that it follows to the other consumers")
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

  @Test(
    "The limit of an owner does not keep the owner alive, and gives up the followed promise", .rule("4.6", "4.9", "6.2")
  )
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

  @Test(
    "Nothing is reported if the limited promise is handled, whether the source is in time or late", .rule("7.1"),
    arguments: [false, true])
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

  @Test(
    "In any order of answer, limit and cancel, a limited promise settles, its source matches and no timer is left",
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

  @Test("In any order, either the owner or its limit settles the promise, and the owner is told which")
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
    "An error after the timeout is not reported, but an error after a cancel of the limited promise is", .rule("7.1"))
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
