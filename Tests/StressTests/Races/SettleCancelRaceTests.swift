import PromiseCore
import TestSupport
import Testing

extension Stress {
  /// Who settles at the same time: the owner, its going, the source, what was adopted, or another cancel.
  @Suite("Races: cancel and what else settles")
  struct SettleCancelRaceTests {
    @Test(
      "rules 4.1 4.3 4.5, row C8: cancel and fulfil: one wins, below all are settled or cancelled, the hook fits",
      arguments: CancelCall.allCases)
    func fulfil(_ call: CancelCall) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let answer = Answer<Bool>()
        let deferred = round.owner()
        let promise = deferred.promise
        let below = round.link(round.link(promise))
        let always = round.always(promise)
        return Duel {
          call.apply(to: promise)
        } second: {
          answer(deferred.fulfill(1))
        } firstCameFirst: {
          let wasCancelled = answer.value == false
          // Whoever won: what was pending below is cancelled, as the cancel had been asked for when it returned.
          try #require(promise.isCancelledAsWhole == wasCancelled)
          try #require(below.isCancelledAsWhole && always.isCancelledAsWhole)
          round.context.runUntilIdle()
          try #require(round.counts == [0, 1, wasCancelled ? 1 : 0])
          try #require(round.census.living == 0)
          return wasCancelled
        }
      }
    }

    @Test("rules 4.5 6.2: cancel and the owner's going: cancelled or broken, the hook fits, nothing is left")
    func ownerDrop() throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let owner = Held(round.owner())
        let promise = owner.object?.promise ?? .fulfilled(0)
        let below = round.link(promise)
        return Duel {
          promise.cancel()
        } second: {
          owner.drop()
        } firstCameFirst: {
          let wasCancelled = promise.isCancelledAsWhole
          if !wasCancelled {
            guard case .rejected(PromiseError.broken) = promise.state else { throw TestError(2) }
          }
          try #require(!below.isPending && (below.isCancelled || !wasCancelled))
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, wasCancelled ? 1 : 0] && round.census.living == 0)
          return wasCancelled
        }
      }
    }

    @Test(
      "rule 4.9: a link is cancelled while its source settles: never twice, and nothing is left",
      arguments: CancelCall.allCases)
    func linkAndSource(_ call: CancelCall) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let deferred = round.owner()
        let derived = round.link(deferred.promise)
        let other = round.link(deferred.promise)
        let below = round.always(derived)
        let answer = Answer<Bool>()
        return Duel {
          call.apply(to: derived)
          answer(deferred.promise.isPending)
        } second: {
          deferred.fulfill(1)
        } firstCameFirst: {
          try #require(derived.isCancelledAsWhole && below.isCancelledAsWhole)
          round.context.runUntilIdle()
          try #require(other.fulfilledValue == 1)
          try #require(round.counts == [1, 1, 0] && round.census.living == 0)
          return answer.value
        }
      }
    }

    @Test("rules 4.4 4.5: the adopted promise settles while its adopter is cancelled", arguments: CancelCall.allCases)
    func adoptedSettles(_ call: CancelCall) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let inner = round.owner()
        let innerPromise = inner.promise
        let outer = Promise.fulfilled(1).then(on: round.context) { _ in innerPromise }
        round.context.step()
        let below = round.link(outer)
        let answer = Answer<Bool>()
        return Duel {
          call.apply(to: outer)
        } second: {
          answer(inner.fulfill(1))
        } firstCameFirst: {
          let innerWon = answer.value == true
          try #require(innerWon ? innerPromise.fulfilledValue == 1 : innerPromise.isCancelledAsWhole)
          try #require(outer.isCancelledAsWhole || innerWon && outer.fulfilledValue == 1)
          try #require(below.isCancelledAsWhole)
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, innerWon ? 0 : 1] && round.census.living == 0)
          return !innerWon
        }
      }
    }

    @Test("rules 4.1 4.5: two cancels at once: one reason for all, and the hook once", arguments: CancelCall.allCases)
    func secondCancel(_ call: CancelCall) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let deferred = round.owner()
        let promise = deferred.promise
        let below = round.recovering(round.link(promise))
        return Duel {
          promise.cancel(reason: TestError(1))
        } second: {
          call.apply(to: promise)
        } firstCameFirst: {
          try #require(!deferred.fulfill(1))
          try #require(promise.isCancelled && below.isCancelled)
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, 1])
          try #require(round.census.living == 0)
          guard case .rejected(let error) = promise.state else { return nil }
          return error is TestError
        }
      }
    }

    @Test("Two leaves of one promise give up at once: the last takes the source along", .rule("4.3", "4.4"))
    func bothGiveUp() throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let deferred = round.owner()
        let middle = round.link(deferred.promise)
        let (left, right) = (round.link(middle), round.link(middle))
        let order = Answer<Bool>()
        return Duel {
          left.cancel(upstream: true)
          order(middle.isCancelledAsWhole)
        } second: {
          right.cancel(upstream: true)
        } firstCameFirst: {
          try #require([left, right, middle, deferred.promise].allSatisfy { $0.isCancelledAsWhole })
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, 1] && round.census.living == 0)
          return order.value.map { !$0 }
        }
      }
    }
  }
}
