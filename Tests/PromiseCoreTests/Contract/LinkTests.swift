import TestSupport
import Testing

/// Behaviour that all links and observers have in common.
@Suite("Links and observers of all kinds") struct LinkTests {
  let context = ManualContext()
  let deferred = Deferred<Int>()

  @Test(
    "A handler runs once with the outcome, later and on its context, even if it is attached after the settlement",
    .rule("2.1", "2.3"), arguments: LinkKind.allCases, Settlement.allCases)
  func returning(_ kind: LinkKind, _ settlement: Settlement) {
    let runs = settlement.runsHandler(of: kind)
    for thrown in [nil, TestError(9)] {
      let deferred = Deferred<Int>()
      let log = Log<Status<Int>>()
      func attach() -> Promise<Int> {
        kind.attach(
          to: deferred.promise, on: context, giving: 2,
          seeing: { [context] in
            #expect(context.isCurrent == true)
            log.append(Status($0))
            if let thrown { throw thrown }
          })
      }
      let early = attach()
      // An observer returns the promise itself.
      #expect((early === deferred.promise) == kind.isObserver)
      #expect(early.isPending)
      #expect(context.count == 0)
      deferred.settle(settlement.result)
      let late = attach()
      #expect(log.entries.isEmpty)
      #expect(context.count == (settlement.schedulesJob(of: kind) ? 2 : 0))
      context.runUntilIdle()
      #expect(log.entries == (runs ? [settlement.status, settlement.status] : []))
      // The result or the error of a handler settles only a new promise.
      let expected = kind.expected(after: settlement, giving: 2, throwing: thrown)
      #expect(early.status == expected)
      #expect(late.status == expected)
      #expect(deferred.promise.status == settlement.status)
    }
  }

  @Test("A typed link or observer passes other errors on", .rule("2.3"), arguments: LinkKind.typed + [.onRejectedOnly])
  func otherErrors(_ kind: LinkKind) {
    let log = Log<Int>()
    let early = kind.attach(to: deferred.promise, on: context, giving: 2) { log.append(1) }
    deferred.reject("other")
    let late = kind.attach(to: deferred.promise, on: context, giving: 2) { log.append(1) }
    context.runUntilIdle()
    #expect(log.entries == [])
    for promise in [early, late] { #expect(promise.status == .rejected(.other("other"))) }
  }

  @Test(
    "An outcome without a matching handler passes through a link without a hop", .rule("2.3"),
    arguments: LinkKind.links, Settlement.allCases)
  func passingThrough(_ kind: LinkKind, _ settlement: Settlement) {
    guard !settlement.runsHandler(of: kind) else { return }
    let early = kind.attach(to: deferred.promise, on: context, giving: 2) {}
    let second = kind.attach(to: early, on: context, giving: 2) {}
    deferred.settle(settlement.result)
    let late = kind.attach(to: deferred.promise, on: context, giving: 2) {}
    #expect(context.count == 0)
    for promise in [early, second, late] { #expect(promise.status == settlement.status) }
  }

  @Test(
    "A derived promise knows its source and is pending until its handler has returned", .rule("2.4", "6.3"),
    arguments: LinkKind.links, Settlement.allCases)
  func settlesAfterHandler(_ kind: LinkKind, _ settlement: Settlement) {
    guard settlement.runsHandler(of: kind) else { return }
    let log = Log<Bool>()
    let derived = Locked<Promise<Int>?>(nil)
    let source = deferred.promise
    @Sendable func isWaiting() -> Bool {
      guard let derived = derived.withLock({ $0 }) else { return false }
      return derived.isPending && derived.parent === source && derived.root === source
    }
    let promise = kind.attach(to: source, on: context, giving: 2) { log.append(isWaiting()) }
    derived.withLock { $0 = promise }
    #expect(isWaiting())
    deferred.settle(settlement.result)
    #expect(isWaiting())
    context.step()
    #expect(log.entries == [true])
    #expect(!promise.isPending)
  }

  @Test("The root is the furthest promise that pending promises lead to, even if it is settled", .rule("6.3"))
  func settledRoot() {
    let deferred = Deferred<Int>()
    let promises = [deferred.promise, deferred.promise.map(on: context) { $0 }]
    let third = promises[1].map(on: context) { $0 }
    let fourth = third.map(on: context) { $0 }
    deferred.fulfill(1)
    let void = fourth.asVoid()
    #expect(promises[1].parent === promises[0] && void.parent === fourth && fourth.root === promises[0])
    context.step()
    #expect(third.parent === promises[1] && fourth.root === promises[1])
    context.step()
    #expect(fourth.parent === third)
    #expect(fourth.root === third)
    context.step()
    #expect(fourth.root === fourth)
  }

  @Test("A promise that no link made has no parent and is its own root", .rule("6.3"))
  func roots() {
    let owner = Deferred<Int>()
    let promises = [
      owner.promise, owner.promise.shielded(), Promise(on: context) { $0.fulfill(1) },
      Promise.run(on: context) { 1 }, .fulfilled(1), .rejected(TestError(1)),
    ]
    for promise in promises { #expect(promise.parent == nil && promise.root === promise) }
  }
}
