import TestSupport
import Testing

@Suite("Promises/A+ 2.1.1: a pending promise", .rule("2.8")) struct Clause2_1_1Tests {
  @Test("A pending promise is neither fulfilled nor rejected (2.1.1)", .rule("1.1"))
  func pendingHasNoOutcome() {
    let deferred = Deferred<Int>()
    expect(deferred.promise, shows: .pending)
    withExtendedLifetime(deferred) {}
  }

  @Test(
    "A pending promise may become fulfilled or rejected (2.1.1.1)", .rule("1.1"),
    arguments: Settling.whilePending, Outcome.settled)
  func pendingMaySettle(_ settling: Settling, _ outcome: Outcome) {
    let deferred = Deferred<Int>()
    settling.settle(deferred, with: outcome.result) { expect(deferred.promise, shows: .pending) }
    expect(deferred.promise, shows: outcome)
  }

  @Test("A derived promise is pending until its handler has run (2.1.1.1)", .rule("1.1"), arguments: Settling.allCases)
  func derivedIsPending(_ settling: Settling) {
    for outcome in Outcome.settled {
      for form in Form.handling(outcome) where form.isLink {
        expectDerived(form, of: outcome, settling, shows: form.derives ? .value(1) : outcome) { _ in 1 }
      }
    }
  }

  @Test(
    "The settling thread sees the outcome when the call returns (2.1.1.1)", .rule("1.3"), arguments: Outcome.settled)
  func settlementIsVisibleAtOnce(_ outcome: Outcome) {
    let seen = onAnotherThread {
      let deferred = Deferred<Int>()
      deferred.settle(outcome.result)
      return deferred.promise.shown
    }
    #expect(seen == outcome)
  }

  @Test("Two settling threads have exactly one winner, whose outcome the promise has (2.1.1.1)", .rule("1.3"))
  func oneOfTwoThreadsWins() {
    for _ in 0..<50 {
      let deferred = Deferred<Int>()
      let winners = Log<Outcome>()
      race(Outcome.settled.map { outcome in { if deferred.settle(outcome.result) { winners.append(outcome) } } })
      #expect(winners.entries == [deferred.promise.shown])
    }
  }
}
