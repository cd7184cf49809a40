import PromiseCombinators
import TestSupport
import Testing

@Suite("LazyPromise") struct LazyTests {
  let world = TestWorld()

  @Test("A lazy chain starts once, from its last link upwards, and shows the progress of a chain")
  func chain() {
    let log = Log<String>()
    let owners = (0..<2).map { _ in Deferred<Int>() }
    let first = LazyPromise.adopting(on: world.main) { log.append("first", returning: owners[0].promise) }
    let last = first.then(on: world.main) { _ in log.append("second", returning: owners[1].promise) }
    world.runUntilIdle()
    #expect(log.entries.isEmpty)
    #expect(!first.isStarted)
    #expect(!last.isStarted)
    #expect(last.progress == 0)
    #expect(last.start())
    #expect(!last.start())
    #expect(!first.start())
    world.runUntilIdle()
    owners[0].report(progress: 0.5)
    #expect(log.entries == ["first"])
    #expect(last.progress == 0.25)
    world.runUntilIdle(after: owners[0].fulfill(1))
    owners[1].report(progress: 0.5)
    #expect(log.entries == ["first", "second"])
    #expect(last.progress == 0.75)
    owners[1].fulfill(2)
    #expect(last.promise.state.value == 2)
  }

  @Test(
    "A cancel or the last client's giving up during the start of a lazy promise ends its work unless that is wanted",
    .rule("1.3", "4.1", "4.6", "4.8"), arguments: [false, true], [false, true])
  func cancelledMeanwhile(_ isWanted: Bool, _ byItsPromise: Bool) {
    let owner = Deferred<Int>()
    let wanted = isWanted ? owner.promise.map(on: world.main) { $0 } : nil
    let reports = Log<SecondSettlement>()
    Diagnostics.scoped(secondSettlement: reports.append) {
      // The closure makes the call that another thread could make during the start.
      let itself = Log<LazyPromise<Int>>()
      let lazy = LazyPromise<Int>.run(on: world.main) { 1 }.derive { _ in
        let lazy = itself.entries[0]
        let client = byItsPromise ? lazy.promise : nil
        if let client { client.cancel(reason: TestError(3)) } else { lazy.cancel(reason: TestError(3)) }
        #expect(client?.failure ?? .test(3) == .test(3))
        #expect(lazy.isCancelled != byItsPromise)
        return owner.promise
      }
      itself.append(lazy)
      lazy.start()
      #expect(lazy.isCancelled != byItsPromise)
      #expect(lazy.isStarted != byItsPromise)
      #expect(owner.promise.isCancelled != isWanted)
    }
    world.runUntilIdle()
    #expect(reports.entries.isEmpty && wanted?.isPending ?? true)
  }

  @Test(
    "A cancelled lazy promise leaves its closure's promise to other consumers, even if it is the source", .rule("4.8"))
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
    #expect(lazies.map(\.isCancelled) == [true, true])
    #expect(wanted.map(\.isPending) == [true, true])
    let unwanted = Deferred<Int>()
    let last = first.derive { _ in unwanted.promise }
    last.start()
    last.cancel()
    #expect(unwanted.promise.isCancelled)
    // An optimised build would otherwise release the owners as soon as their promises are taken.
    withExtendedLifetime(owners) {}
  }

  @Test("A promise that waits for itself because it was asked for during its start rejects as a ring", .rule("3.2"))
  func ring() {
    let itself = Locked<LazyPromise<Int>?>(nil)
    let ring = LazyPromise<Int>.run(on: world.main) { 1 }.derive { promise in
      itself.withLock { $0.take() }?.promise.map(on: .pool) { $0 } ?? promise
    }
    itself.withLock { $0 = ring }
    ring.start()
    world.runUntilIdle()
    #expect(ring.promise.failure?.code == .cycle)
  }

  @Test("A long lazy chain that has not started is released in a loop", .rule("6.4"))
  func long() {
    let context = ManualContext()
    var last = LazyPromise.run(on: context) { 0 }
    // On a large stack a recursion could release a shorter chain.
    for _ in 0..<100_000 { last = last.map(on: context) { $0 + 1 } }
  }
}
