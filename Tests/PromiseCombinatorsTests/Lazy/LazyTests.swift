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

  @Test(
    "rules 1.3 4.8, row B11: cancelled while it is being started, it is cancelled at once, and what it makes then, unless somebody else wants that",
    arguments: [false, true], [false, true])
  func cancelledMeanwhile(_ isWanted: Bool, _ byItsPromise: Bool) {
    let owner = Deferred<Int>()
    let wanted = isWanted ? owner.promise.map(on: world.main) { $0 } : nil
    let reports = Log<SecondSettlement>()
    Diagnostics.scoped(secondSettlement: reports.append) {
      // What another thread does while one starts it, this one does in the midst of it.
      let itself = Log<LazyPromise<Int>>()
      let lazy = LazyPromise<Int>.run(on: world.main) { 1 }.derive { _ in
        let lazy = itself.entries[0]
        if byItsPromise { lazy.promise.cancel() } else { lazy.cancel() }
        #expect(lazy.isCancelled)
        return owner.promise
      }
      itself.append(lazy)
      lazy.start()
      #expect(lazy.isCancelled && lazy.promise.isCancelled && owner.promise.isCancelled != isWanted)
    }
    world.runUntilIdle()
    #expect(reports.entries.isEmpty && wanted?.isPending ?? true)
  }

  @Test(
    "rule 4.8, row B11: cancelled, it leaves what its closure has returned and others want, even what it was made from")
  func returnsAnothers() {
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let shared = owners.map(\.promise)
    let first = LazyPromise.adopting(on: world.main) { shared[0] }
    let lazies = [first.derive { $0 }, first.derive { _ in shared[1] }]
    let wanted = [first.promise, shared[1]].map { promise in promise.map(on: world.main) { $0 } }
    world.runUntilIdle()
    for lazy in lazies {
      lazy.start()
      lazy.cancel()
    }
    #expect(lazies.map(\.isCancelled) == [true, true] && wanted.map(\.isPending) == [true, true])
    let unwanted = Deferred<Int>()
    let last = first.derive { _ in unwanted.promise }
    last.start()
    last.cancel()
    #expect(unwanted.promise.isCancelled)
    // An optimised build would let them go as soon as their promises are taken.
    withExtendedLifetime(owners) {}
  }

  @Test("row B11: who asks while it is being started gets what it becomes; if that waits for itself, a ring is found")
  func askedMeanwhile() {
    let itself = Log<LazyPromise<Int>>()
    let asked = Log<Promise<Int>>()
    let lazy = LazyPromise<Int>.run(on: world.main) { 1 }.derive { promise in
      asked.append(itself.entries[0].promise)
      return promise
    }
    let ring = LazyPromise<Int>.run(on: world.main) { 1 }.derive { _ in itself.entries[1].promise.map(on: .pool) { $0 }
    }
    itself.append(lazy)
    itself.append(ring)
    lazy.start()
    ring.start()
    world.runUntilIdle()
    #expect(asked.entries.map(\.values) == [1] && lazy.promise.values == 1)
    guard case .cycle = ring.promise.ownError else { return #expect(Bool(false), "\(ring.promise)") }
  }

  @Test("rule 6.4, row N7: a long chain starts, and is dropped unstarted, in a loop", arguments: [false, true])
  func long(_ isStarted: Bool) {
    let context = ManualContext()
    var last = LazyPromise.run(on: context) { 0 }
    // Shorter ones could go by recursion, on a large stack.
    for _ in 0..<(isStarted ? 20_000 : 100_000) { last = last.map(on: context) { $0 + 1 } }
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
