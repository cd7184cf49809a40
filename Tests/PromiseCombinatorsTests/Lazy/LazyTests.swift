import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

@Suite("LazyPromise")
struct LazyTests {
  let world = TestWorld()

  @Test("rows B11 J9: a chain starts upwards from its last link, once, and shows the shares of a chain")
  func chain() {
    let log = Log<String>()
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let first = LazyPromise.adopting(on: world.main) {
      log.append("first")
      return owners[0].promise
    }
    let last = first.then(on: world.main) { _ in
      log.append("second")
      return owners[1].promise
    }
    world.runUntilIdle()
    #expect(log.entries.isEmpty && !first.isStarted && !last.isStarted && last.progress == 0)
    #expect(last.start() && !last.start() && !first.start())
    world.runUntilIdle()
    owners[0].report(progress: 0.5)
    #expect(log.entries == ["first"] && last.progress == 0.25)
    owners[0].fulfill(1)
    world.runUntilIdle()
    owners[1].report(progress: 0.5)
    #expect(log.entries == ["first", "second"] && last.progress == 0.75)
    owners[1].fulfill(2)
    #expect(last.promise.values == 2)
  }

  @Test("row B11: dropped or cancelled before it starts, nothing of it runs")
  func neverStarted() {
    let log = Log<String>()
    do {
      _ = LazyPromise<Int>.run(on: world.main) { 1 }.rescue(on: world.main) { _ in
        log.append("rescue")
        return .fulfilled(1)
      }
    }
    let cancelled = LazyPromise<Int>.run(on: world.main) {
      log.append("run")
      return 1
    }
    cancelled.cancel()
    #expect(cancelled.isCancelled && cancelled.isStarted && !cancelled.start() && cancelled.promise.isCancelled)
    world.runUntilIdle()
    #expect(log.entries.isEmpty)
  }

  @Test("rule 6.4, row N7: a long chain starts, and is dropped unstarted, in a loop", arguments: [false, true])
  func long(_ isStarted: Bool) {
    let context = ManualContext()
    var last = LazyPromise.run(on: context) { 0 }
    for _ in 0..<20_000 { last = last.map(on: context) { $0 + 1 } }
    guard isStarted else { return }
    let promise = last.promise
    context.runUntilIdle()
    #expect(promise.values == 20_000)
  }

  @Test("row B11, rule 4.1: a cancel that comes while it is being started is not lost")
  func cancelledWhileStarting() {
    let context = ManualContext()
    let whole = Locked<LazyPromise<Int>?>(nil)
    // What derives it is called in the midst of its start.
    let lazy = LazyPromise.run(on: context) { 1 }.derive { promise in
      let lazy = whole.withLock { $0 }
      #expect(lazy?.isStarted == true && lazy?.result == nil)
      lazy?.cancel(reason: TestError(7))
      return promise.map(on: context) { $0 + 1 }
    }
    whole.withLock { $0 = lazy }
    let promise = lazy.promise
    #expect(promise.isCancelled && promise.errorNumber == 7 && lazy.isCancelled)
    whole.withLock { $0 = nil }
    context.runUntilIdle()
  }

  @Test("row B11: who asks for its promise while it is being started gets one that follows it")
  func askedWhileStarting() {
    let context = ManualContext()
    let whole = Locked<LazyPromise<Int>?>(nil)
    let asked = Locked<Promise<Int>?>(nil)
    let lazy = LazyPromise.run(on: context) { 1 }.derive { promise in
      let early = whole.withLock { $0 }?.promise
      asked.withLock { $0 = early }
      return promise.map(on: context) { $0 + 1 }
    }
    whole.withLock { $0 = lazy }
    lazy.start()
    context.runUntilIdle()
    #expect(asked.withLock { $0 }?.values == 2 && lazy.promise.values == 2)
    whole.withLock { $0 = nil }
  }
}
