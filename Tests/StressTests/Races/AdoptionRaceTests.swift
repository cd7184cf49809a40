import PromiseCore
import TestSupport
import Testing

extension Stress {
  /// Races between a cancel or a settlement of a promise and the call by which it adopts, or follows, another promise.
  @Suite("Races: adoption")
  struct AdoptionRaceTests {
    @Test(
      "Work that a handler returns, alone or behind a link, stops once if the handler's promise is cancelled meanwhile",
      .rule("4.3", "4.4"), arguments: CancelForm.allCases, [false, true])
    func adopt(_ form: CancelForm, isShared: Bool) throws {
      try Duel.repeated { number in
        let (round, work) = (CancelRound(), StoppableWork())
        let inner = number.isMultiple(of: 2) ? work.promise : work.promise.map(on: round.context) { $0 }
        let other = isShared ? inner.map(on: round.context) { $0 } : nil
        let (ran, returned, order) = (Answer<Bool>(), Answer<Bool>(), Answer<Bool>())
        let outer = Promise.fulfilled(1).then(on: round.context) { _ in
          ran(true)
          return inner
        }
        let below = round.link(outer)
        return Duel {
          form.apply(to: outer)
          order(returned.value == true)
        } second: {
          round.context.step()
          returned(true)
        } firstCameFirst: {
          try #require(outer.isCancelledAsWhole && below.isCancelledAsWhole)
          // A handler that never ran has returned no promise to give up.
          if isShared || ran.value != true {
            try #require(work.goesOn && inner.isPending && other?.isPending != false)
          } else {
            try #require(work.isStopped && inner.isCancelledAsWhole)
          }
          work.deferred.fulfill(1)
          round.context.runUntilIdle()
          try #require(work.reasons.count <= 1 && round.counts == [0, 0, 0] && round.census.living == 0)
          return order.value.map { !$0 }
        }
      }
    }

    @Test(
      "Work behind a link stops whether its follower's cancellation or the call to follow comes first",
      .rule("3.1", "4.4"), arguments: CancelForm.allCases)
    func follow(_ form: CancelForm) throws {
      try Duel.repeated { _ in
        let work = StoppableWork()
        let context = ManualContext()
        let inner = work.promise.map(on: context) { $0 }
        let owner = Deferred<Int>()
        let promise = owner.promise
        let answer = Answer<Bool>()
        return Duel {
          form.apply(to: promise)
        } second: {
          answer(owner.follow(inner))
        } firstCameFirst: {
          try #require(promise.isCancelledAsWhole && inner.isCancelledAsWhole && work.isStopped)
          return answer.value == false
        }
      }
    }

    @Test("Work stops once if its adopter is given up from below while its other consumer gives up", .rule("4.4"))
    func lastConsumers() throws {
      try Duel.repeated { _ in
        let work = StoppableWork()
        let context = ManualContext()
        let inner = work.promise.map(on: context) { $0 }
        let outer = Promise.fulfilled(1).then(on: context) { _ in inner }
        context.step()
        let (below, beside) = (outer.map(on: context) { $0 }, work.promise.map(on: context) { $0 })
        return Duel {
          below.cancel(reason: TestError(1), upstream: true)
        } second: {
          beside.cancel(reason: TestError(2), upstream: true)
        } firstCameFirst: {
          try #require(below.isCancelled && outer.isCancelled && inner.isCancelled && beside.isCancelled)
          try #require(work.isStopped && work.reasonNumbers.count == 1)
          return work.reasonNumbers == [2]
        }
      }
    }

    @Test("An adopted promise that settles while its adopter gives it up leaves nothing pending", .rule("4.3", "4.4"))
    func settles() throws {
      try Duel.repeated { _ in
        let work = StoppableWork()
        let context = ManualContext()
        let outer = Promise.fulfilled(1).then(on: context) { _ in work.promise.asVoid() }
        context.step()
        let answer = Answer<Bool>()
        return Duel {
          outer.cancel()
        } second: {
          answer(work.deferred.fulfill(1))
        } firstCameFirst: {
          let wasStopped = answer.value == false
          try #require(wasStopped ? work.isStopped : work.reasons.isEmpty && work.promise.fulfilledValue == 1)
          try #require(outer.isCancelled || outer.isFulfilled && !wasStopped)
          return wasStopped
        }
      }
    }

    @Test(
      "A cancel during the adoption of an unheld link cancels and releases the link", .rule("2.5", "4.3", "4.4"),
      arguments: [false, true])
    func adoptUnheld(isSettled: Bool) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let deferred = Deferred<Int>()
        let source = isSettled ? .fulfilled(1) : deferred.promise
        let returned = Answer<Bool>()
        let outer = Promise.fulfilled(1).then(on: round.context) { _ in round.link(source) }
        let order = Answer<Bool>()
        return Duel {
          outer.cancel()
          order(returned.value == true)
        } second: {
          round.context.step()
          returned(true)
        } firstCameFirst: {
          try #require(outer.isCancelledAsWhole)
          deferred.fulfill(1)
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, 0])
          try #require(round.census.living == 0)
          return order.value.map { !$0 }
        }
      }
    }

    @Test(
      "A short loop that is cancelled while it runs goes at most one step further", .rule("3.3", "4.3", "4.4"),
      arguments: [2, 3, 10, 50])
    func loop(count: Int) throws {
      try Duel.repeated { number in
        let round = CancelRound()
        // Without this wait, a loop of many steps hardly ever ends before the cancel.
        let comesLate = number.isMultiple(of: 8)
        let steps = round.values
        @Sendable func step(_ number: Int) -> Promise<Int> {
          steps.withLock { $0 = number }
          if number == count { return .fulfilled(number) }
          return Promise.fulfilled(number).then(on: round.context) { step($0 + 1) }
        }
        let outermost = step(0)
        let reached = Answer<Int>()
        return Duel {
          while comesLate, outermost.isPending {}
          outermost.cancel()
          reached(steps.withLock { $0 })
        } second: {
          round.context.runUntilIdle()
        } firstCameFirst: {
          try #require(!outermost.isPending)
          // A handler that was running during the cancel may have begun another step.
          if outermost.isCancelled { try #require(round.counts[0] <= (reached.value ?? 0) + 1) }
          return outermost.isCancelled
        }
      }
    }

    @Test(
      "A followed promise goes on without a consumer, whether the call to settle or to follow comes first",
      .rule("3.1", "3.4"), arguments: [false, true])
    func followAndSettle(isFulfilled: Bool) throws {
      try Duel.repeated(Effort.of(10_000, full: 100_000)) { _ in
        let (owner, work) = (Deferred<Int>(), StoppableWork())
        let context = ManualContext()
        let promise = owner.promise
        let answer = Answer<Bool>()
        return Duel {
          if isFulfilled { owner.fulfill(1) } else { owner.reject(CancellationError()) }
        } second: {
          answer(owner.follow(work.promise))
        } firstCameFirst: {
          try #require(isFulfilled ? promise.fulfilledValue == 1 : promise.isCancelled)
          try #require(work.goesOn)
          work.promise.map(on: context) { $0 }.cancel(upstream: true)
          try #require(work.isStopped)
          return answer.value == false
        }
      }
    }
  }
}
