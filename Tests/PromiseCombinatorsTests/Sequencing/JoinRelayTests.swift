import PromiseCombinators
import TestSupport
import Testing

@Suite("join and relay", .leavingNothing)
struct JoinRelayTests {
  let outer = Deferred<Promise<Int>>()
  let inner = Deferred<Int>()

  @Test(
    "A cancelled outer or inner promise cancels the joined promise with its reason", .rule("1.2"),
    arguments: [false, true])
  func cancelled(_ isOuter: Bool) {
    let joined = outer.promise.join()
    if isOuter {
      outer.promise.cancel(reason: TestError(1))
    } else {
      outer.fulfill(inner.promise)
      inner.promise.cancel(reason: TestError(1))
    }
    #expect(joined.isCancelled && joined.errorNumber == 1)
  }

  @Test(
    "A cancel of a joined promise cancels the inner promise unless another consumer wants it", .rule("4.4"),
    arguments: [false, true])
  func cancels(_ isWanted: Bool) {
    let context = ManualContext()
    let joined = outer.promise.join()
    let other = isWanted ? inner.promise.map(on: context) { $0 } : nil
    outer.fulfill(inner.promise)
    #expect(joined.isPending)
    joined.cancel()
    #expect(joined.isCancelled && inner.promise.isCancelled == !isWanted && other?.isPending != false)
    #expect(outer.promise.isFulfilled)
  }

  @Test(
    "A plain cancel before the inner promise comes leaves the outer promise alone, and giving up cancels it",
    .rule("4.4")
  )
  func cancelledEarly() {
    let joined = outer.promise.join()
    joined.cancel()
    #expect(outer.promise.isPending)
    outer.fulfill(inner.promise)
    #expect(joined.isCancelled)
    let other = Deferred<Promise<Int>>()
    other.promise.join().cancel(upstream: true)
    #expect(other.promise.isCancelled)
  }

  @Test("join flattens nested promises when called twice, and joins settled promises at once")
  func twice() {
    let joined = Promise.fulfilled(Promise.fulfilled(Promise.fulfilled(3))).join().join()
    #expect(joined.values == 3)
    let optional = Promise.fulfilled(Promise<Int?>.fulfilled(nil)).join()
    #expect(optional.values == .some(.none))
  }

  @Test("An outer promise that is fulfilled with its own joined promise closes a ring", .rule("3.2"))
  func ring() {
    let outer = Deferred<Promise<Int>>()
    let joined = outer.promise.join()
    outer.fulfill(joined)
    #expect(joined.errorCode == .cycle)
  }

  @Test("A joined promise keeps nothing when it is settled", .rule("6.3"))
  func lifetime() {
    let census = Tracked.Census()
    let joined: Promise<Int>
    do {
      let inner = Deferred<Int>()
      inner.onCancel { [tracked = Tracked(census)] _ in withExtendedLifetime(tracked) {} }
      joined = Promise.fulfilled(inner.promise).join()
      #expect(census.living == 1)
      inner.fulfill(1)
    }
    #expect(joined.values == 1 && census.living == 0)
  }

  @Test(
    "An error of the outer or inner promise is reported only if the joined promise is not observed", .rule("7.1"),
    arguments: [false, true])
  func unhandled(_ isLookedAt: Bool) {
    let reports = reported {
      let context = ManualContext()
      do {
        let one = Promise<Promise<Int>>.rejected(TestError(1)).join()
        let two = Promise.fulfilled(Promise<Int>.rejected(TestError(2))).join()
        if isLookedAt { for joined in [one, two] { joined.onRejected(on: context) { _ in } } }
      }
      context.runUntilIdle()
    }
    #expect(reports.sorted() == (isLookedAt ? [] : [1, 2]))
  }

  @Test(
    "The first relayed promise to settle decides the target, even with an error, and nothing is reported", .rule("3.4")
  )
  func several() throws {
    try TestWorld.run { world in
      let (one, two, target) = (Deferred<Int>(), Deferred<Int>(), Deferred<Int>())
      one.promise.relay(to: target)
      two.promise.relay(to: target)
      two.reject(TestError(2))
      world.expect(target.promise.errorNumber == 2 && one.promise.isPending)
      one.fulfill(1)
      world.expect(target.promise.errorNumber == 2)
    }
  }

  @Test(
    "A relay is a consumer until the owner's promise settles, and a cancelled owner cancels an unwanted source",
    .rule("4.0", "4.4")
  )
  func consumer() {
    let (source, target) = (Deferred<Int>(), Deferred<Int>())
    source.promise.relay(to: target)
    #expect(source.promise.debugDescription.contains("1 consumer"))
    target.promise.cancel(reason: TestError(3))
    #expect(source.promise.isCancelled && source.promise.errorNumber == 3)
    let (other, settled) = (Deferred<Int>(), Deferred<Int>())
    settled.fulfill(0)
    other.promise.relay(to: settled)
    #expect(other.promise.isPending && !other.promise.debugDescription.contains("consumer"))
  }

  @Test("A cancel of a relayed promise cancels the promises that follow it, with its reason", .rule("4.2"))
  func cancelSource() {
    let (source, target) = (Deferred<Int>(), Deferred<Int>())
    source.promise.relay(to: target).relay(to: inner)
    source.promise.cancel(reason: TestError(4))
    #expect([target, inner].allSatisfy { $0.promise.isCancelled && $0.promise.errorNumber == 4 })
  }

  @Test("Promises that are relayed to each other are rejected as a ring", .rule("3.2"))
  func relayRing() {
    let (one, two) = (Deferred<Int>(), Deferred<Int>())
    one.promise.relay(to: two)
    two.promise.relay(to: one)
    for owner in [one, two] {
      #expect(owner.promise.errorCode == .cycle)
    }
  }

  @Test(
    "An owner that is deallocated while its promise follows a pending promise does not break its promise", .rule("6.2"))
  func ownerGoes() {
    let source = Deferred<Int>()
    let promise: Promise<Int>
    do {
      let target = Deferred<Int>()
      promise = target.promise
      source.promise.relay(to: target)
    }
    #expect(promise.isPending)
    source.fulfill(6)
    #expect(promise.values == 6)
  }

  @Test(
    "Long rows of relays and joins settle and are cancelled in a loop", .rule("3.3", "6.4"), .slow,
    arguments: [false, true])
  func long(_ isCancelled: Bool) {
    let source = Deferred<Int>()
    var last = source.promise
    for number in 0..<20_000 {
      if number.isMultiple(of: 2) {
        let target = Deferred<Int>()
        last.relay(to: target)
        last = target.promise
      } else {
        last = Promise.fulfilled(last).join()
      }
    }
    if isCancelled { last.cancel() } else { source.fulfill(1) }
    #expect(last.values == (isCancelled ? nil : 1) && source.promise.isCancelled == isCancelled)
  }

  @Test("In any order, a joined promise has the value of the inner promise or is cancelled")
  func everyOrder() throws {
    let exploration = try TestWorld.exploreAll { world in
      let (outer, inner) = (Deferred<Promise<Int>>(), Deferred<Int>())
      let joined = outer.promise.join()
      let mapped = joined.map(on: world.main) { $0 + 1 }.recover(on: world.main) { _ in 0 }
      world.sometime("outer") { outer.fulfill(inner.promise) }
      world.sometime("inner") { inner.fulfill(1) }
      world.sometime("cancel") { joined.cancel() }
      world.runUntilIdle()
      world.expect(joined.isCancelled || joined.values == 1)
      world.expect(mapped.isCancelled || mapped.values == 2 || mapped.values == 0)
    }
    #expect(exploration.isComplete && exploration.schedules >= 6)
  }
}
