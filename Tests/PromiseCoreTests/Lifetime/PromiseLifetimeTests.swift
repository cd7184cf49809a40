import PromiseCore
import TestSupport
import Testing

/// Tests which objects retain a promise, and which objects a promise retains.
@Suite("Lifetime of promises", .leavingNothing)
struct PromiseLifetimeTests {
  let context = ManualContext()
  let census = Tracked.Census()

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

  @Test("A settled promise retains no ancestor", .rule("6.3"), arguments: LinkKind.links, Settlement.allCases)
  func settledKeepsNone(_ kind: LinkKind, _ settlement: Settlement) {
    weak var ancestor: Promise<Int>?
    let derived: Promise<Int>
    do {
      let deferred = Deferred<Int>()
      derived = kind.attach(to: deferred.promise, on: context, giving: 2) {}
      ancestor = deferred.promise
      deferred.settle(settlement.result)
    }
    context.runUntilIdle()
    #expect(!derived.isPending)
    #expect(ancestor == nil)
  }
}
