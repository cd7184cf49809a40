import TestSupport
import Testing

extension Stress {
  /// Races between a cancel and a settlement by the owner, the release of the owner, the source, an adopted promise or
  /// another cancel.
  @Suite("Races: cancel and other settlements")
  struct SettleCancelRaceTests {
    @Test(
      "Either cancel or fulfil wins, every promise below settles, and the hook matches the winner",
      .rule("4.1", "4.3", "4.5"), arguments: CancelForm.allCases)
    func fulfil(_ call: CancelForm) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let deferred = round.owner()
        let promise = deferred.promise
        let below = round.link(round.link(promise))
        let always = round.always(promise)
        return Duel(call.apply(to: promise), against: deferred.fulfill(1)) { _, isFulfilled in
          let wasCancelled = !isFulfilled
          // Even if the owner wins, the cancel settles the pending links below before it returns.
          try #require(promise.isCancelledAsWhole == wasCancelled)
          try #require(below.isCancelledAsWhole && always.isCancelledAsWhole)
          round.context.runUntilIdle()
          try #require(round.counts == [0, 1, wasCancelled ? 1 : 0] && round.census.living == 0)
          return wasCancelled
        }
      }
    }

    @Test(
      "A link that is cancelled while its source settles never settles twice and leaves nothing behind", .rule("4.9"),
      arguments: CancelForm.allCases)
    func linkAndSource(_ call: CancelForm) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let deferred = round.owner()
        let derived = round.link(deferred.promise)
        let other = round.link(deferred.promise)
        let below = round.always(derived)
        return Duel {
          call.apply(to: derived)
          return deferred.promise.isPending
        } second: {
          deferred.fulfill(1)
        } results: { wasPending, _ in
          try #require(derived.isCancelledAsWhole && below.isCancelledAsWhole)
          round.context.runUntilIdle()
          try #require(other.state.value == 1)
          try #require(round.counts == [1, 1, 0] && round.census.living == 0)
          return wasPending
        }
      }
    }

    @Test(
      "An adopted promise that settles while its adopter is cancelled is either fulfilled or cancelled",
      .rule("4.3", "4.4", "4.5"), arguments: CancelForm.allCases, [false, true])
    func adoptedSettles(_ call: CancelForm, isBehindLink: Bool) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let inner = round.owner()
        let innerPromise = inner.promise
        let outer = Promise.fulfilled(1).then(on: round.context) { _ in
          isBehindLink ? innerPromise.catch(on: round.context) { _ in } : innerPromise
        }
        round.context.step()
        let below = round.link(outer)
        return Duel(call.apply(to: outer), against: inner.fulfill(1)) { _, innerWon in
          try #require(innerWon ? innerPromise.state.value == 1 : innerPromise.isCancelledAsWhole)
          try #require(outer.isCancelledAsWhole || innerWon && outer.state.value == 1)
          try #require(below.isCancelledAsWhole)
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, innerWon ? 0 : 1] && round.census.living == 0)
          return !innerWon
        }
      }
    }

    @Test(
      "Two cancels at the same time cancel every promise below and run the hook once", .rule("4.1", "4.5"),
      arguments: CancelForm.allCases)
    func secondCancel(_ call: CancelForm) throws {
      try Duel.repeated { _ in
        let round = CancelRound()
        let deferred = round.owner()
        let promise = deferred.promise
        let below = round.recovering(round.link(promise))
        return Duel(promise.cancel(reason: TestError(1)), against: call.apply(to: promise)) { _, _ in
          try #require(!deferred.fulfill(1) && promise.isCancelled && below.isCancelled)
          round.context.runUntilIdle()
          try #require(round.counts == [0, 0, 1] && round.census.living == 0)
          return promise.error is TestError
        }
      }
    }
  }
}
