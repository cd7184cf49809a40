import TestSupport
import Testing

/// Tests which objects retain a promise, and which objects a promise retains.
@Suite("Lifetime of promises", .leavingNothing) struct PromiseLifetimeTests {
  let context = ManualContext()
  let census = Tracked.Census()

  @Test("A settled promise keeps neither a context nor a derived promise", .rule("6.1"), arguments: LinkKind.allCases)
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
      #expect(deferred.promise.status == settlement.status)
    }
  }

  @Test("A value lives exactly as long as a promise that holds it", .rule("6.1"))
  func payload() {
    var promises: [Promise<Tracked>] = []
    do {
      let deferred = Deferred<Tracked>()
      promises = [
        deferred.promise, deferred.promise.tap(on: context) { _ in },
        deferred.promise.recover(on: context) { throw $0 }, Promise { $0.follow(deferred.promise) },
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

  @Test("A promise that followed a link does not retain the link's context", .rule("6.1"), arguments: LinkKind.links)
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

  @Test("A cancelled promise retains no ancestor or adopted promise", .rule("4.4", "6.3"), arguments: LinkKind.links)
  func keepsNoAncestor(_ kind: LinkKind) {
    weak var source: Promise<Int>?
    weak var adopted: Promise<Int>?
    let (derived, adopter): (Promise<Int>, Promise<Int>)
    do {
      let owner = Deferred<Int>()
      let inner = Deferred<Int>()
      (source, adopted) = (owner.promise, inner.promise)
      derived = kind.attach(to: owner.promise, on: context, giving: 2) {}
      adopter = Promise.fulfilled(1).then(on: context) { [promise = inner.promise] _ in promise }
      context.runUntilIdle()
      derived.cancel()
      adopter.cancel()
    }
    context.runUntilIdle()
    #expect(source == nil)
    #expect(adopted == nil)
    #expect(derived.isCancelled)
    #expect(adopter.isCancelled)
  }
}

/// An error that retains an object.
private struct RetainingError: Error, Sendable { let tracked: Tracked }

@Suite("Sources of promises that have adopted another", .leavingNothing) struct SettledSourceTests {
  enum Way: CaseIterable, Sendable { case then, thenBoth, thenBothRejected, rescue, compactMapThen }

  private let context = ManualContext()
  private let census = Tracked.Census()
  private let work = StoppableWork()

  private let living = Log<Int>()

  /// Makes a source that retains a tracked object in its outcome, and attaches a link that returns the promise of the
  /// work.
  private func derive(_ way: Way, isSettledBefore: Bool) -> Promise<Int> {
    let returned: @Sendable () -> Promise<Int> = { [census, living, work] in
      living.append(census.living)
      return work.promise
    }
    let deferred = Deferred<Tracked?>()
    let failing = Deferred<Int>()
    let settle = { [census] in
      _ = deferred.fulfill(Tracked(census))
      _ = failing.reject(RetainingError(tracked: Tracked(census)))
    }
    if isSettledBefore { settle() }
    let values = deferred.promise
    let errors = failing.promise
    defer { if !isSettledBefore { settle() } }
    return switch way {
    case .then: values.then(on: context) { _ in returned() }
    case .thenBoth: values.then(on: context, fulfilled: { _ in returned() }, rejected: { throw $0 })
    case .thenBothRejected: errors.then(on: context, fulfilled: { .fulfilled($0) }, rejected: { _ in returned() })
    case .rescue: errors.rescue(on: context) { _ in returned() }
    case .compactMapThen: values.compactMap(on: context) { $0 }.then(on: context) { _ in returned() }
    }
  }

  @Test("A promise retains its source until its handler ends", .rule("6.1"), arguments: Way.allCases, [true, false])
  func releasesSource(_ way: Way, isSettledBefore: Bool) {
    let derived = derive(way, isSettledBefore: isSettledBefore)
    #expect(census.living == 1)
    context.runUntilIdle()
    #expect(living.entries == [1])
    #expect(census.living == 0)
    #expect(derived.isPending)
    work.deferred.fulfill(1)
    #expect(derived.status == .fulfilled(1))
  }
}
