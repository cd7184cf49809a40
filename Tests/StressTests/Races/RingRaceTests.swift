import PromiseCombinators
import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Races: rings")
  struct RingRaceTests {
    private static func cycleSite(_ promise: Promise<Int>) -> Int? {
      guard case .failure(PromiseError.cycle(let site, _))? = promise.result else { return nil }
      return site.line
    }

    /// The way from the promise of each owner to the promise that the other owner follows.
    enum Way: CaseIterable, Sendable { case none, oneLink, threeLinks, combinator, secondFollow, handler }

    @Test(
      "A ring that two threads close at the same time is found, even through links, a combinator or a handler",
      .rule("3.2"), arguments: Way.allCases)
    func twoFollows(_ way: Way) throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let other = Deferred<Int>()
        let owners = [Deferred<Int>(line: 1), Deferred<Int>(line: 2)]
        let ends = owners.enumerated().map { index, owner in
          switch way {
          case .none, .secondFollow: owner.promise
          case .oneLink: owner.promise.map(on: context) { $0 }
          case .threeLinks: (0..<3).reduce(owner.promise) { promise, _ in promise.map(on: context) { $0 } }
          case .combinator: Promise.race([other.promise, owner.promise])
          // These ends adopt the promises of the owners only after their handlers have returned.
          case .handler:
            Promise.fulfilled(0).then(on: context, line: UInt(index + 1)) { [promise = owner.promise] _ in promise }
          }
        }
        if way == .secondFollow { for owner in owners { owner.follow(other.promise) } }
        let jobs = way == .handler ? [context.takeFirst(), context.takeFirst()] : [nil, nil]
        return Duel {
          jobs[0]?.run()
          owners[0].follow(ends[1])
        } second: {
          jobs[1]?.run()
          owners[1].follow(ends[0])
        } firstCameFirst: {
          context.runUntilIdle()
          let sites = owners.map { Self.cycleSite($0.promise) }
          try #require(!sites.contains(nil) && other.promise.isPending)
          for end in ends { try #require(Self.cycleSite(end) != nil) }
          // The later call closes the ring, and both promises show its site.
          return sites[0] == sites[1] ? sites[0] == 2 : nil
        }
      }
    }

    @Test("A ring of two handlers that return each other's promise at the same time is found", .rule("3.2"))
    func twoAdoptions() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let box = Locked<[Promise<Int>]>([])
        let promises = [1, 0].enumerated().map { index, other in
          Promise.fulfilled(0).then(on: context, line: UInt(index + 1)) { _ in box.withLock { $0[other] } }
        }
        box.withLock { $0 = promises }
        let jobs = (context.takeFirst(), context.takeFirst())
        return Duel {
          jobs.0?.run()
        } second: {
          jobs.1?.run()
        } firstCameFirst: {
          box.withLock { $0 = [] }
          let sites = promises.map(Self.cycleSite)
          try #require(!sites.contains(nil))
          return sites[0] == sites[1] ? sites[0] == 2 : nil
        }
      }
    }

    @Test("A ring of three promises that three threads close at the same time is found", .rule("3.2"))
    func threeFollows() throws {
      try Duel.repeated { _ in
        let owners = (0..<3).map { Deferred<Int>(line: UInt($0)) }
        return Duel(
          (0..<3).map { index in
            { owners[index].follow(owners[(index + 1) % 3].promise) }
          }
        ) {
          let sites = owners.map { Self.cycleSite($0.promise) }
          try #require(!sites.contains(nil))
          return sites[0] == sites[1] && sites[1] == sites[2] ? sites[0] != 0 : nil
        }
      }
    }

    @Test(
      "A ring that is closed while a member settles ends with a cycle error or the value and leaves nothing pending",
      .rule("3.2"))
    func closeAndSettle() throws {
      try Duel.repeated { _ in
        let owners = (Deferred<Int>(), Deferred<Int>())
        owners.0.follow(owners.1.promise)
        return Duel {
          owners.1.follow(owners.0.promise)
        } second: {
          owners.0.fulfill(1)
        } results: { _, isFulfilled in
          let promises = [owners.0.promise, owners.1.promise]
          try #require(promises.allSatisfy { !$0.isPending })
          // Either the ring was closed first, or the value came first and the ring did not exist.
          if isFulfilled { try #require(promises[0].fulfilledValue == 1) }
          let isCycle = Self.cycleSite(promises[1]) != nil
          try #require(isCycle || promises[1].fulfilledValue == 1)
          return isCycle
        }
      }
    }

    @Test("Promises that only look like a ring while two threads connect them are fulfilled", .rule("3.2"))
    func falseRings() throws {
      try Duel.repeated { _ in
        let source = Deferred<Int>()
        let owners = [Deferred<Int>(), Deferred<Int>(), Deferred<Int>()]
        return Duel {
          owners[0].follow(owners[1].promise)
          owners[0].follow(source.promise)
          return source.promise.isPending
        } second: {
          owners[1].follow(source.promise)
          owners[2].follow(owners[0].promise)
          owners[2].follow(owners[1].promise)
          source.fulfill(1)
        } results: { wasPending, _ in
          for owner in owners { try #require(owner.promise.fulfilledValue == 1) }
          return wasPending
        }
      }
    }
  }
}
