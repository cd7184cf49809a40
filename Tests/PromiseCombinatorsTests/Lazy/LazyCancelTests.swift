import PromiseCombinators
import TestSupport
import Testing

@Suite("Lazy promises that are cancelled or forgotten", .leavingNothing) struct LazyCancelTests {
  let world = TestWorld()

  @Test(
    "A lazy promise cancelled unstarted never starts, and releases its closure", arguments: LazyWay.all, Starter.all)
  func unstarted(_ way: LazyWay, _ starter: Starter) {
    let census = Tracked.Census()
    let lazy = world.run {
      way.make(world.main) { [tracked = Tracked(census)] in withExtendedLifetime(tracked) { 1 } }
    }
    #expect(census.living == 1)
    lazy.cancel(reason: TestError(6))
    #expect(census.living == 0, "also while it is held")
    #expect(lazy.isCancelled)
    #expect(!lazy.isPending)
    #expect(lazy.isStarted)
    #expect(!lazy.start())
    lazy.cancel(reason: TestError(7))
    world.start { starter.start(lazy, world.main) }
    #expect(lazy.promise.failure == .test(6))
    #expect(lazy.promise.isCancelled)
    #expect(lazy.progress == 0)
  }

  @Test(
    "A started lazy promise that is cancelled before its context runs the closure never runs it", .rule("2.5"),
    arguments: LazyWay.all)
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
    #expect(census.living == 0)
    #expect(lazy.isCancelled)
    context.runUntilIdle()
    #expect(log.entries.isEmpty)
    #expect(lazy.isCancelled)
  }

  @Test("A cancel of a derived lazy promise leaves its source alone, which may start for other promises", .rule("4.2"))
  func parent() {
    let log = Log<Int>()
    let first = world.run { LazyPromise.run(on: world.main) { log.append(1, returning: 1) } }
    let (one, other) = world.run { (first.map(on: world.main) { $0 + 1 }, first.map(on: world.main) { $0 + 2 }) }
    one.cancel()
    #expect(one.isCancelled)
    #expect(!first.isStarted)
    #expect(!first.isCancelled)
    #expect(!other.isCancelled)
    other.start()
    world.runUntilIdle()
    #expect(log.entries == [1])
    #expect(other.promise.state.value == 3)
    #expect(first.isStarted)
    #expect(first.promise.state.value == 1)
  }

  @Test("A cancel of a running lazy promise also cancels the started promises derived from it", .rule("4.2"))
  func startedChild() {
    let owner = Deferred<Int>()
    let first = world.run { LazyPromise.adopting(on: world.main) { owner.promise } }
    let (started, unstarted) = world.run { (first.map(on: world.main) { $0 }, first.map(on: world.main) { $0 }) }
    started.start()
    world.runUntilIdle()
    first.cancel()
    #expect(started.isCancelled)
    #expect(owner.promise.isCancelled)
    #expect(!unstarted.isStarted)
    #expect(world.run { unstarted.promise }.isCancelled)
  }

  @Test(
    "A running lazy promise goes on if no client holds it, and an unstarted lazy promise is released", .rule("6.1"),
    arguments: LazyWay.all)
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
    #expect(log.entries == ["run", "last 1"])
    #expect(census.living == 0)
  }

  @Test("The unhandled error of a chain is reported once, if the chain was started and not cancelled", .rule("7.1"))
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
        context.runUntilIdle(after: cancelled.cancel())
      }
    }
    #expect(reports == [2])
  }
}
