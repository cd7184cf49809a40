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
  }
}
