import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.1.1 (rule 2.8): a pending promise")
struct Clause2_1_1Tests {
  @Test("2.1.1 (rule 1.1): it is neither fulfilled nor rejected")
  func pendingHasNoOutcome() {
    let deferred = Deferred<Int>()
    expect(deferred.promise, shows: .pending)
    withExtendedLifetime(deferred) {}
  }

  @Test(
    "2.1.1.1 (rule 1.1): it may become fulfilled or rejected",
    arguments: Settling.whilePending, Outcome.settled)
  func pendingMaySettle(_ settling: Settling, _ outcome: Outcome) {
    let deferred = Deferred<Int>()
    settling.settle(deferred, with: outcome.result) {
      expect(deferred.promise, shows: .pending)
    }
    expect(deferred.promise, shows: outcome)
  }

  @Test("2.1.1.1 (rule 1.1): a derived promise is pending until its handler has run", arguments: Settling.allCases)
  func derivedIsPending(_ settling: Settling) {
    for outcome in Outcome.settled {
      for form in Form.handling(outcome) where form.isLink {
        let context = ManualContext()
        let derived = settling.settle(as: outcome) { form.attach(to: $0, on: context) { _ in 1 } }
        expect(derived, shows: .pending)
        context.runUntilIdle()
        #expect(!derived.isPending, "\(form)")
      }
    }
  }

  @Test("2.1.1.1 (rule 1.3): the thread that settles sees it as soon as the call returns", arguments: Outcome.settled)
  func settlementIsVisibleAtOnce(_ outcome: Outcome) {
    let seen = onAnotherThread {
      let deferred = Deferred<Int>()
      deferred.settle(outcome.result)
      return deferred.promise.shown
    }
    #expect(seen == outcome)
  }

  @Test("2.1.1.1 (rule 1.3): of two threads that settle one wins, and both see its outcome")
  func oneOfTwoThreadsWins() {
    for _ in 0..<50 {
      let deferred = Deferred<Int>()
      let winners = Log<Outcome>()
      race(
        Outcome.settled.map { outcome in
          { if deferred.settle(outcome.result) { winners.append(outcome) } }
        })
      #expect(winners.entries.count == 1)
      #expect(winners.entries == [deferred.promise.shown])
    }
  }
}
