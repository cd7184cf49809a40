import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Races: owners and holders that are released")
  struct OwnerRaceTests {
    @Test(
      "A settlement through a weak reference either succeeds or finds the promise of the released owner broken",
      .rule("6.2"))
    func dropAndSettle() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Bool>()
        let (held, weakly, promise) = {
          let deferred = Deferred<Int>()
          return (Held(deferred), Weakly(deferred), deferred.promise)
        }()
        promise.onSettled(on: context) { log.append((try? $0.get()) == 1) }
        return Duel {
          held.drop()
        } second: {
          weakly.object?.fulfill(1) ?? false
        } results: { _, isSettled in
          try #require(!promise.isPending)
          try #require(promise.isFulfilled == isSettled)
          context.runUntilIdle()
          try #require(log.entries == [isSettled])
          return !isSettled
        }
      }
    }

    @Test(
      "Handlers attached while two threads release the owner see the broken promise once and in order",
      .rule("2.2", "6.2"))
    func dropAndAttach() throws {
      try Duel.repeated { _ in
        let context = ManualContext()
        let log = Log<Int>()
        let (held, promise) = {
          let deferred = Deferred<Int>()
          return ((Held(deferred), Held(deferred)), deferred.promise)
        }()
        let pending = Answer<Bool>()
        return Duel([
          {
            for number in 0..<4 { promise.onRejected(on: context) { _ in log.append(number) } }
            promise.catch(on: context) { _ in log.append(4) }
            pending(promise.isPending)
          },
          { held.0.drop() }, { held.1.drop() },
        ]) {
          try #require(promise.isRejected)
          context.runUntilIdle()
          try #require(log.entries == [0, 1, 2, 3, 4])
          return pending.value
        }
      }
    }

    @Test(
      "A following promise never breaks if its owner is released while the followed promise settles", .rule("6.2"),
      arguments: [1, 2])
    func dropFollowingAndSettle(followed: Int) throws {
      try Duel.repeated { _ in
        let inner = (0..<followed).map { _ in Deferred<Int>() }
        let (held, promise) = {
          let deferred = Deferred<Int>()
          for owner in inner { deferred.follow(owner.promise) }
          return (Held(deferred), deferred.promise)
        }()
        return Duel {
          held.drop()
          return promise.isPending
        } second: {
          inner.last?.fulfill(1)
        } results: { wasPending, _ in
          try #require(promise.fulfilledValue == 1)
          return wasPending
        }
      }
    }

    @Test(
      "A follower whose owner is released while the followed promise breaks gets the error of the followed promise",
      .rule("3.1", "6.2"))
    func followDropAndBreak() throws {
      try Duel.repeated { _ in
        let (held, inner) = {
          let deferred = Deferred<Int>(line: 1)
          return (Held(deferred), deferred.promise)
        }()
        return Duel {
          let deferred = Deferred<Int>(line: 2)
          deferred.follow(inner)
          return (promise: deferred.promise, wasPending: inner.isPending)
        } second: {
          held.drop()
        } results: { follower, _ in
          guard case .failure(PromiseError.broken(let site))? = follower.promise.result else {
            Issue.record("\(follower.promise.state)")
            return nil
          }
          try #require(site.line == 1)
          return follower.wasPending
        }
      }
    }

    @Test(
      "Links that are made and released while their promise settles leave nothing behind", .rule("6.1", "6.3"),
      arguments: [false, true])
    func dropDerivedAndSettle(adopting: Bool) throws {
      let census = Tracked.Census()
      try Duel.repeated { _ in
        let context = ManualContext()
        // The references are held in boxes, so that they can be released. A queue may hold a closure for a moment after
        // it has run.
        let (inner, owner) = (Held(Deferred<Tracked>()), Held(Deferred<Tracked>()))
        let held = Held(owner.promise(adopting ? inner.object?.promise : nil, on: context))
        let pending = Answer<Bool>()
        return Duel {
          guard let promise = held.object else { return }
          for _ in 0..<3 {
            let payload = Tracked(census)
            _ = promise.map(on: context) { _ in payload }
            _ = promise.recover(on: context) { _ in payload }
            _ = Promise<Tracked> { $0.follow(promise) }
          }
          pending(owner.object?.promise.isPending == true)
        } second: {
          owner.object?.fulfill(Tracked(census))
        } firstCameFirst: {
          context.runUntilIdle()
          inner.object?.fulfill(Tracked(census))
          context.runUntilIdle()
          for drop in [owner.drop, inner.drop, held.drop] { drop() }
          return pending.value
        }
      }
      #expect(census.living == 0)
    }
  }
}

extension Held where Object == Deferred<Tracked> {
  /// Returns the owner's promise, or a promise that adopts `inner` after it.
  fileprivate func promise(_ inner: Promise<Tracked>?, on context: ManualContext) -> Promise<Tracked> {
    guard let promise = object?.promise else { return .rejected(TestError(0)) }
    guard let inner else { return promise }
    return promise.then(on: context) { _ in inner }
  }
}
