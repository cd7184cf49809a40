import TestSupport
import Testing

extension Stress {
  /// Races between a cancel or a settlement of a promise and the call by which it adopts, or follows, another promise.
  @Suite("Races: adoption")
  struct AdoptionRaceTests {
    /// The promise that a handler returns. Only the library holds an unheld promise.
    enum Returned: CaseIterable, Sendable { case held, shared, unheld, unheldOfSettled }

    @Test(
      "Work that a handler returns, alone or behind a link, stops once if the handler's promise is cancelled meanwhile",
      .rule("2.5", "4.3", "4.4"), arguments: CancelForm.allCases, Returned.allCases)
    func adopt(_ form: CancelForm, _ kind: Returned) throws {
      try Duel.repeated { number in
        let round = CancelRound()
        let work = StoppableWork()
        let isHeld = kind == .held || kind == .shared
        let link = isHeld && !number.isMultiple(of: 2) ? work.promise.map(on: round.context) { $0 } : nil
        let inner = isHeld ? link ?? work.promise : nil
        let other = kind == .shared ? inner?.map(on: round.context) { $0 } : nil
        let ran = Answer<Bool>()
        let returned = Answer<Bool>()
        let outer = Promise.fulfilled(1).then(on: round.context) { _ in
          ran(true)
          return inner ?? round.link(kind == .unheld ? work.promise : .fulfilled(1))
        }
        let below = round.link(outer)
        return Duel {
          form.apply(to: outer)
          return returned.value == true
        } second: {
          round.context.step()
          returned(true)
        } results: { cameLate, _ in
          try #require(outer.isCancelledAsWhole && below.isCancelledAsWhole)
          // A handler that never ran has returned no promise to give up.
          if kind == .shared || kind == .unheldOfSettled || ran.value != true {
            try #require(work.goesOn && inner?.isPending != false && other?.isPending != false)
          } else {
            try #require(work.isStopped && inner?.isCancelledAsWhole != false)
          }
          work.deferred.fulfill(1)
          round.context.runUntilIdle()
          try #require(work.reasons.count <= 1 && round.counts == [0, 0, 0] && round.census.living == 0)
          return !cameLate
        }
      }
    }

    @Test(
      "Work behind a link stops whether its follower's cancellation or the call to follow comes first",
      .rule("3.1", "4.4"), arguments: CancelForm.allCases)
    func follow(_ form: CancelForm) throws {
      try Duel.repeated { _ in
        let owner = Deferred<Int>()
        let work = StoppableWork()
        let context = ManualContext()
        let promise = owner.promise
        let inner = work.promise.map(on: context) { $0 }
        return Duel(form.apply(to: promise), against: owner.follow(inner)) { _, isFollowing in
          try #require(promise.isCancelledAsWhole && inner.isCancelledAsWhole && work.isStopped)
          return !isFollowing
        }
      }
    }

    @Test(
      "A followed promise goes on without a consumer, whether the call to settle or to follow comes first",
      .rule("3.1", "3.4"), arguments: [false, true])
    func followAndSettle(isFulfilled: Bool) throws {
      try Duel.repeated(Effort.of(10_000, full: 100_000)) { _ in
        let owner = Deferred<Int>()
        let work = StoppableWork()
        let context = ManualContext()
        let promise = owner.promise
        let result: Result<Int, any Error> = isFulfilled ? .success(1) : .failure(CancellationError())
        return Duel(owner.settle(result), against: owner.follow(work.promise)) { _, isFollowing in
          try #require(isFulfilled ? promise.state.value == 1 : promise.isCancelled)
          try #require(work.goesOn)
          work.promise.map(on: context) { $0 }.cancel(upstream: true)
          try #require(work.isStopped)
          return !isFollowing
        }
      }
    }
  }
}
