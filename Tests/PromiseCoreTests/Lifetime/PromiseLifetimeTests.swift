import PromiseCore
import TestSupport
import Testing

/// Tests which objects retain a promise, and which objects a promise retains.
@Suite("Lifetime of promises", .leavingNothing)
struct PromiseLifetimeTests {
  let context = ManualContext()
  let census = Tracked.Census()

  @Test("A chain runs to its end although no client holds any part of it", .rule("6.1"), arguments: Settlement.allCases)
  func unheldChain(_ settlement: Settlement) {
    let log = Log<Seen<Int>>()
    do {
      let deferred = Deferred<Int>()
      let inner = Deferred<Int>()
      let innerPromise = inner.promise
      deferred.promise
        .map(on: context) { $0 + 1 }
        .then(on: context) { _ in innerPromise }
        .always(on: context) { _ in }
        .onSettled(on: context) { log.append(Seen($0)) }
      inner.fulfill(5)
      deferred.settle(settlement.result)
    }
    context.runUntilIdle()
    #expect(log.entries == [settlement.isValue ? .fulfilled(5) : .failed(1)])
  }

  @Test(
    "A settled promise keeps only its outcome, and neither a context nor a derived promise", .rule("6.1"),
    arguments: LinkKind.allCases)
  func settledKeepsOnlyOutcome(_ kind: LinkKind) {
    for settlement in Settlement.allCases {
      let deferred = Deferred<Int>()
      weak var contextProbe: ManualContext?
      weak var derivedProbe: Promise<Int>?
      do {
        let context = ManualContext()
        let derived = kind.attach(to: deferred.promise, on: context, giving: 2) {}
        contextProbe = context
        if !kind.isObserver { derivedProbe = derived }
        deferred.settle(settlement.result)
        context.runUntilIdle()
      }
      #expect(contextProbe == nil)
      #expect(derivedProbe == nil)
      #expect(deferred.promise.seen == settlement.seen)
    }
  }

  @Test("A value lives exactly as long as a promise that holds it", .rule("6.1"))
  func payload() {
    var promises: [Promise<Tracked>] = []
    do {
      let deferred = Deferred<Tracked>()
      promises = [
        deferred.promise, deferred.promise.tap(on: context) { _ in },
        deferred.promise.recover(on: context) { throw $0 },
        Promise { $0.follow(deferred.promise) },
      ]
      deferred.fulfill(Tracked(census))
      context.runUntilIdle()
    }
    while !promises.isEmpty {
      #expect(census.living == 1)
      promises.removeFirst()
    }
    #expect(census.living == 0)
  }

  @Test("The value of a losing call is released by that call", .rule("1.3", "6.1"))
  func losingPayload() {
    let deferred = Deferred<Tracked>()
    deferred.reject(TestError(1))
    #expect(!deferred.fulfill(Tracked(census)))
    #expect(census.living == 0)
    #expect(!deferred.follow(.fulfilled(Tracked(census))))
    #expect(census.living == 0)
  }

  @Test(
    "An adopted promise is deallocated as soon as it is settled, and its adopter keeps only the outcome",
    .rule("2.6", "6.3"))
  func adopted() {
    weak var probe: Promise<Tracked>?
    let outer: Promise<Tracked>
    do {
      let inner = Deferred<Tracked>()
      let promise = inner.promise
      probe = promise
      outer = Promise.fulfilled(1).then(on: context) { _ in promise }
      context.runUntilIdle()
      inner.fulfill(Tracked(census))
    }
    #expect(probe == nil)
    #expect(census.living == 1)
    #expect(outer.isFulfilled)
  }

  @Test(
    "A follower of several promises keeps none of them alive after it is settled", .rule("3.4", "6.3"), arguments: 0..<3
  )
  func unfollowed(winner: Int) {
    var inner: [Deferred<Int>] = (0..<3).map { _ in Deferred<Int>() }
    let follower = Deferred<Int>()
    for owner in inner { follower.follow(owner.promise) }
    inner[winner].fulfill(1)
    #expect(follower.promise.isFulfilled)
    for index in (0..<3).reversed() {
      weak let probe = inner[index].promise
      inner.remove(at: index)
      #expect(probe == nil)
    }
  }

  @Test("A pending promise, its parents and its children are deallocated together once all are released", .rule("6.3"))
  func pendingTree() {
    weak var probes: (Promise<Int>)?
    weak var leaf: Promise<Int>?
    do {
      let deferred = Deferred<Int>()
      let middle = deferred.promise.recover(on: context) { _ in 1 }
      let end = middle.map(on: context) { $0 }
      (probes, leaf) = (middle, end)
      #expect(end.root === deferred.promise)
    }
    context.runUntilIdle()
    #expect(probes == nil)
    #expect(leaf == nil)
  }

  @Test(
    "A promise that has followed a link does not keep the context of the link alive", .rule("6.1"),
    arguments: LinkKind.links)
  func contextOfSkippedLink(_ kind: LinkKind) {
    weak var probe: ManualContext?
    let follower = Deferred<Int>()
    do {
      let context = ManualContext()
      probe = context
      follower.follow(kind.attach(to: .fulfilled(1), on: context, giving: 2) {})
      context.runUntilIdle()
    }
    #expect(follower.promise.isFulfilled)
    #expect(probe == nil)
  }
}
