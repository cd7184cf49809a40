import PromiseCore
import TestSupport
import Testing

extension Stress {
  /// Races between a cancel of a promise and the call by which it adopts, or follows, a promise with work behind a
  /// link.
  @Suite("Races: cancel and adoption of work behind a link")
  struct AdoptionGivingUpRaceTests {
    @Test(
      "Work behind a link that a handler returns stops once if the handler's promise is cancelled meanwhile",
      .rule("4.3", "4.4"), arguments: CancelForm.allCases, [false, true])
    func adopt(_ form: CancelForm, isShared: Bool) throws {
      try Duel.repeated { _ in
        let work = StoppableWork()
        let context = ManualContext()
        let inner = work.promise.map(on: context) { $0 }
        let other = isShared ? inner.map(on: context) { $0 } : nil
        let (ran, returned, order) = (Answer<Bool>(), Answer<Bool>(), Answer<Bool>())
        let outer = Promise.fulfilled(1).then(on: context) { _ in
          ran(true)
          return inner
        }
        return Duel {
          form.apply(to: outer)
          order(returned.value == true)
        } second: {
          context.step()
          returned(true)
        } firstCameFirst: {
          try #require(outer.isCancelledAsWhole)
          if isShared || ran.value != true {
            try #require(work.goesOn && inner.isPending && other?.isPending != false)
          } else {
            try #require(work.isStopped && inner.isCancelledAsWhole)
          }
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
  }
}
