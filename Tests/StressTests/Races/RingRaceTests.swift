import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Races: rings")
  struct RingRaceTests {
    private static func cycleSite(_ promise: Promise<Int>) -> Int? {
      guard case .failure(PromiseError.cycle(let site, _))? = promise.result else { return nil }
      return site.line
    }

    /// The way from the promise of each owner to the promise that the previous owner follows. In the last case,
    /// handlers close the ring without owners.
    enum Way: CaseIterable, Sendable {
      case none, threeOwners, oneLink, threeLinks, combinator, secondFollow, handler, onlyHandlers
    }

    @Test(
      "A ring that threads close at the same time is found, even through links, a combinator or handlers", .rule("3.2"),
      arguments: Way.allCases)
    func closed(_ way: Way) throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let other = Deferred<Int>()
        let owners = (1...(way == .threeOwners ? 3 : 2)).map { Deferred<Int>(line: UInt($0)) }
        let box = Locked<[Promise<Int>]>([])
        let ends = owners.enumerated().map { index, owner -> Promise<Int> in
          switch way {
          case .none, .threeOwners, .secondFollow: owner.promise
          case .oneLink: owner.promise.map(on: context) { $0 }
          case .threeLinks: (0..<3).reduce(owner.promise) { promise, _ in promise.map(on: context) { $0 } }
          case .combinator: Promise.race([other.promise, owner.promise])
          // These ends adopt other promises only after their handlers have returned.
          case .handler:
            Promise.fulfilled(0).then(on: context, line: UInt(index + 1)) { [promise = owner.promise] _ in promise }
          case .onlyHandlers:
            Promise.fulfilled(0).then(on: context, line: UInt(index + 1)) { _ in box.withLock { $0[1 - index] } }
          }
        }
        if way == .secondFollow { for owner in owners { owner.follow(other.promise) } }
        if way == .onlyHandlers { box.withLock { $0 = ends } }
        let jobs = owners.map { _ in context.takeFirst() }
        return Duel(
          owners.indices.map { index in
            {
              jobs[index]?.run()
              if way != .onlyHandlers { owners[index].follow(ends[(index + 1) % ends.count]) }
            }
          }
        ) {
          context.runUntilIdle()
          box.withLock { $0 = [] }
          let sites = (way == .onlyHandlers ? ends : owners.map(\.promise)).map(Self.cycleSite)
          try #require(!sites.contains(nil) && !ends.map(Self.cycleSite).contains(nil) && other.promise.isPending)
          // The last call closes the ring, and all promises show its site.
          return Set(sites).count == 1 ? sites[0] != 1 : nil
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
        return Duel(owners.1.follow(owners.0.promise), against: owners.0.fulfill(1)) { _, isFulfilled in
          let promises = [owners.0.promise, owners.1.promise]
          try #require(promises.allSatisfy { !$0.isPending })
          // Either the ring was closed first, or the value came first and the ring did not exist.
          if isFulfilled { try #require(promises[0].state.value == 1) }
          let isCycle = Self.cycleSite(promises[1]) != nil
          try #require(isCycle || promises[1].state.value == 1)
          return isCycle
        }
      }
    }

    @Test("Promises that only look like a ring while two threads connect them are fulfilled", .rule("3.2"))
    func falseRings() throws {
      try Duel.repeated { _ in
        let source = Deferred<Int>()
        let owners = (0..<3).map { _ in Deferred<Int>() }
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
          for owner in owners { try #require(owner.promise.state.value == 1) }
          return wasPending
        }
      }
    }
  }
}
