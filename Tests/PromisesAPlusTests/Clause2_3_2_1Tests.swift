import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.3.2.1 (rule 2.8): adopting a pending promise")
struct Clause2_3_2_1Tests {
  @Test(
    "2.3.2.1 (rules 2.6, 3.1): the outer promise stays pending until the inner one is settled, not longer",
    arguments: Settling.whilePending, Outcome.settled)
  func pendingUntilSettled(_ settling: Settling, _ outcome: Outcome) {
    for adoption in Adoption.allCases {
      let outer = settling.settle(as: outcome) { inner in
        let outer = adoption.adopt(inner)
        expect(outer, shows: .pending)
        return outer
      }
      expect(outer, shows: outcome)
    }
  }

  @Test(
    "2.3.2.1 (rule 2.1): its handlers wait too, those attached before it adopted and those attached after",
    arguments: Settling.whilePending, Outcome.settled)
  func handlersWait(_ settling: Settling, _ outcome: Outcome) {
    for adoption in Adoption.allCases {
      let context = ManualContext()
      let seen = Log<Outcome>()
      settling.settle(as: outcome) { inner in
        let outer = adoption.attach(inner, on: context)
        outer.onSettled(on: context) { seen.append(Outcome($0)) }
        context.runUntilIdle()
        outer.onSettled(on: context) { seen.append(Outcome($0)) }
        #expect(context.runUntilIdle() == 0, "\(adoption)")
        #expect(seen.entries == [], "\(adoption)")
      }
      #expect(context.runUntilIdle() == 2, "\(adoption)")
      #expect(seen.entries == [outcome, outcome], "\(adoption)")
    }
  }

  @Test("2.3.2.1 (rule 2.6): an inner promise that is never settled leaves it pending", arguments: Adoption.allCases)
  func pendingForEver(_ adoption: Adoption) {
    let owner = Deferred<Int>()
    let outer = adoption.adopt(owner.promise)
    expect(outer, shows: .pending)
    withExtendedLifetime(owner) {}
  }

  @Test("2.3.2.1 (rule 3.1): an owner is told that it follows, and its end does not end the waiting")
  func ownerMayGo() {
    let inner = Deferred<Int>()
    var owner: Deferred<Int>? = Deferred()
    let outer = owner?.promise
    #expect(owner?.follow(inner.promise) == true)
    owner = nil
    #expect(outer?.shown == .pending)
    #expect(inner.fulfill(1))
    #expect(outer?.shown == .value(1))
  }
}
