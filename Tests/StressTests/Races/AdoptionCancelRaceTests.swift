import PromiseCore
import TestSupport
import Testing

extension Stress {
  /// Races between a cancel and a handler whose promise is being adopted.
  @Suite("Races: cancel and adoption")
  struct AdoptionCancelRaceTests {
    @Test(
      "A cancel during an adoption also cancels the promise that the handler returns, unless it is shared",
      .rule("4.3", "4.4"),
      arguments: [false, true], CancelCall.allCases)
    func adopt(isShared: Bool, _ call: CancelCall) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let inner = round.owner()
        let innerPromise = inner.promise
        let other = isShared ? innerPromise.map(on: round.context) { $0 } : nil
        let returned = Answer<Bool>()
        let ran = Answer<Bool>()
        let outer = Promise.fulfilled(1).then(on: round.context) { _ in
          ran(true)
          return innerPromise
        }
        let below = round.link(outer)
        let order = Answer<Bool>()
        return Duel {
          call.apply(to: outer)
          order(returned.value == true)
        } second: {
          round.context.step()
          returned(true)
        } firstCameFirst: {
          try #require(outer.isCancelledAsWhole && below.isCancelledAsWhole)
          // A handler that never ran has returned no promise to cancel.
          if !isShared { try #require(innerPromise.isCancelledAsWhole == (ran.value == true)) }
          try #require(round.counts[2] == (innerPromise.isCancelledAsWhole ? 1 : 0))
          if isShared { try #require(innerPromise.isPending && other?.isPending == true) }
          try #require(round.counts[0] == 0)
          inner.fulfill(1)
          round.context.runUntilIdle()
          try #require(round.counts[2] <= 1)
          try #require(round.census.living == 0)
          return order.value.map { !$0 }
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
  }
}
