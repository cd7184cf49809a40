import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("LazyPromise that is cancelled, or forgotten", .leavingNothing)
struct LazyCancelTests {
  let world = TestWorld()

  @Test("row B11: one that has not started never will, and lets go of its closure", arguments: LazyWay.all, Starter.all)
  func unstarted(_ way: LazyWay, _ starter: Starter) {
    let census = Tracked.Census()
    let lazy = world.run {
      way.make(world.main) { [tracked = Tracked(census)] in withExtendedLifetime(tracked) { 1 } }
    }
    #expect(census.living == 1)
    lazy.cancel(reason: TestError(6))
    #expect(census.living == 0, "also while it is held")
    #expect(lazy.isCancelled && !lazy.isPending && lazy.isStarted && !lazy.start())
    lazy.cancel(reason: TestError(7))
    world.run { starter.start(lazy, world.main) }
    world.runUntilIdle()
    #expect(lazy.promise.errorNumber == 6 && lazy.promise.isCancelled && lazy.progress == 0)
  }

  @Test("row B11: the value of one that was cancelled is thrown, and it is told to observers that come after")
  func valueOfCancelled() throws {
    let log = Log<Int>()
    try TestWorld.run { world in
      let lazy = LazyPromise.run { 1 }
      lazy.cancel()
      lazy.onRejected(on: world.main) { if $0 is CancellationError { log.append(1) } }
      await #expect(throws: CancellationError.self) { try await lazy.value }
    }
    #expect(log.entries == [1])
  }

  @Test(
    "rule 2.5: started, and cancelled before its context came to it, the closure never runs", arguments: LazyWay.all)
  func queued(_ way: LazyWay) {
    let census = Tracked.Census()
    let log = Log<Int>()
    let context = ManualContext()
    let lazy = way.make(context) { [tracked = Tracked(census)] in
      withExtendedLifetime(tracked) { log.append(1) }
      return 1
    }
    lazy.start()
    lazy.cancel()
    #expect(census.living == 0 && lazy.isCancelled)
    context.runUntilIdle()
    #expect(log.entries.isEmpty && lazy.isCancelled)
  }

  @Test(
    "rule 4.8: at work, what its closure made is cancelled with it, unless somebody else wants that",
    arguments: [false, true])
  func working(_ isWanted: Bool) {
    let owner = Deferred<Int>()
    let other = isWanted ? world.run { owner.promise.map(on: world.main) { $0 } } : nil
    let lazy = world.run { LazyPromise.adopting(on: world.main) { owner.promise } }
    lazy.start()
    world.runUntilIdle()
    lazy.cancel()
    #expect(lazy.isCancelled && owner.promise.isCancelled == !isWanted && other?.isPending != false)
  }

  @Test("rule 4.5: the owner of one at work is told, with the reason; an unstarted one has no owner")
  func hook() {
    let log = Log<Int>()
    let kept = Locked<Deferred<Int>?>(nil)
    let lazy = world.run {
      LazyPromise<Int>(on: world.main) { deferred in
        deferred.onCancel { log.append(($0 as? TestError)?.number ?? -1) }
        kept.withLock { $0 = deferred }
      }
    }
    lazy.start()
    world.runUntilIdle()
    lazy.cancel(reason: TestError(8))
    #expect(log.entries == [8])
    #expect(kept.withLock { $0 }?.fulfill(1) == false)
  }

  @Test(
    "rule 4.2: cancelled while it is being started, it is cancelled")
  func starting() {
    let box = Locked<LazyPromise<Int>?>(nil)
    let lazy = world.run {
      LazyPromise.run(on: world.main) { 1 }.derive { promise in
        box.withLock { $0 }?.cancel(reason: TestError(3))
        return promise
      }
    }
    box.withLock { $0 = lazy }
    lazy.start()
    #expect(lazy.isCancelled && lazy.promise.errorNumber == 3)
    box.withLock { $0 = nil }
  }

  @Test("rule 1.1: cancelled when it is done, it stays as it is", arguments: LazyWay.all)
  func done(_ way: LazyWay) {
    let lazy = world.run { way.make(world.main) { 3 } }
    lazy.start()
    world.runUntilIdle()
    lazy.cancel()
    #expect(!lazy.isCancelled && lazy.promise.values == 3)
  }

  @Test("rule 4.2: to cancel one leaves alone what it is made from, which may start for others")
  func parent() {
    let log = Log<Int>()
    let first = world.run {
      LazyPromise.run(on: world.main) {
        log.append(1)
        return 1
      }
    }
    let (one, other) = world.run { (first.map(on: world.main) { $0 + 1 }, first.map(on: world.main) { $0 + 2 }) }
    one.cancel()
    #expect(one.isCancelled && !first.isStarted && !first.isCancelled && !other.isCancelled)
    other.start()
    world.runUntilIdle()
    #expect(log.entries == [1] && other.promise.values == 3 && first.isStarted && first.promise.values == 1)
  }

  @Test("rule 1.2: what is made from one that was cancelled unstarted is cancelled when it is wanted, or recovers")
  func child() {
    let log = Log<Int>()
    let first = world.run { LazyPromise.run(on: world.main) { 1 } }
    let (mapped, recovered) = world.run {
      (
        first.map(on: world.main) { value in
          log.append(value)
          return value
        },
        first.recover(on: world.main) { _ in 9 }
      )
    }
    first.cancel(reason: TestError(4))
    let later = world.run { first.map(on: world.main) { $0 } }
    world.run { for lazy in [mapped, recovered, later] { lazy.start() } }
    world.runUntilIdle()
    #expect(mapped.promise.isCancelled && mapped.promise.errorNumber == 4 && later.promise.isCancelled)
    #expect(log.entries.isEmpty)
    // Cancelled before it was a link: an ordinary rejection (rule 4.3).
    #expect(recovered.promise.values == 9)
  }

  @Test("rule 4.2: at work, what is made from it and started is cancelled too")
  func startedChild() {
    let owner = Deferred<Int>()
    let first = world.run { LazyPromise.adopting(on: world.main) { owner.promise } }
    let (started, unstarted) = world.run { (first.map(on: world.main) { $0 }, first.map(on: world.main) { $0 }) }
    started.start()
    world.runUntilIdle()
    first.cancel()
    #expect(started.isCancelled && owner.promise.isCancelled && !unstarted.isStarted)
    #expect(world.run { unstarted.promise }.isCancelled)
  }

  @Test("rule 6.1: one at work that nobody holds goes on, one that was not started goes", arguments: LazyWay.all)
  func forgotten(_ way: LazyWay) throws {
    let census = Tracked.Census()
    let log = Log<String>()
    try TestWorld.run { world in
      for isStarted in [false, true] {
        let lazy = way.make(world.main) { [tracked = Tracked(census)] in
          withExtendedLifetime(tracked) { log.append("run") }
          return 1
        }
        _ = lazy.map(on: world.main) { log.append("unstarted \($0)") }
        let last = lazy.map(on: world.main) { log.append("last \($0)") }
        if isStarted { last.start() }
        _ = world.track(lazy)
        _ = world.track(last)
      }
      world.expect(census.living == 1)
    }
    #expect(log.entries == ["run", "last 1"] && census.living == 0)
  }

  @Test(
    "rule 7.1: what nobody looked at is reported once, by the last of its chain; what did not start, or was cancelled, never"
  )
  func unhandled() {
    let reports = reported {
      let context = ManualContext()
      func failing(_ number: Int) -> LazyPromise<Int> {
        LazyPromise.run(on: context) { throw TestError(number) }.map(on: context) { $0 }.then(on: context) {
          .fulfilled($0)
        }
      }
      do {
        _ = failing(1)
        failing(2).start()
        failing(3).cancel()
        failing(4).onSettled(on: context) { _ in }
        failing(5).recover(on: context) { _ in 0 }.start()
        let cancelled = LazyPromise<Int>.run(on: context) { throw TestError(6) }
        cancelled.start()
        cancelled.cancel()
        context.runUntilIdle()
      }
    }
    #expect(reports == [2])
  }

  @Test("row N4: started by several and cancelled by others, in any order: it runs once at most, and all hear the same")
  func everyOrder() throws {
    let runs = Log<Int>()
    _ = try TestWorld.explore(schedules: 200, seed: 9) { world in
      let census = Tracked.Census()
      do {
        let count = Locked(0)
        let outcomes = Log<String>()
        let owner = Deferred<Int>()
        let first = LazyPromise.adopting(on: world.serial("a")) { [tracked = Tracked(census)] in
          withExtendedLifetime(tracked) { count.withLock { $0 += 1 } }
          return owner.promise
        }
        let last = first.map(on: world.pool) { $0 + 1 }
        for number in 0..<3 {
          world.sometime("\(number) wants it") {
            last.onSettled(on: world.main) { result in
              if case .success(let value) = result { outcomes.append("\(value)") } else { outcomes.append("error") }
            }
          }
        }
        world.sometime("the work ends") { owner.fulfill(1) }
        world.sometime("one gives up") { last.cancel() }
        world.runUntilIdle()
        runs.append(count.withLock { $0 })
        world.expect(count.withLock { $0 } <= 1)
        world.expect(outcomes.entries.count == 3 && Set(outcomes.entries).count == 1)
        world.expect(outcomes.entries.first == (last.isCancelled ? "error" : "2"))
      }
      world.expect(census.living == 0)
    }
    #expect(Set(runs.entries) == [0, 1], "both happen")
  }
}
