import TestSupport
import Testing

@Suite("Promises/A+ 2.3.2.1: adopting a pending promise", .rule("2.8")) struct Clause2_3_2_1Tests {
  @Test(
    "The outer promise stays pending until the inner promise is settled, and no longer (2.3.2.1)", .rule("2.6", "3.1"),
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
    "Handlers of the outer promise wait, whether they are attached before or after the adoption (2.3.2.1)",
    .rule("2.1"), arguments: Settling.whilePending, Outcome.settled)
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

  @Test(
    "An inner promise that is never settled leaves the outer promise pending (2.3.2.1)", .rule("2.6"),
    arguments: Adoption.allCases)
  func pendingForEver(_ adoption: Adoption) {
    let owner = Deferred<Int>()
    expect(adoption.adopt(owner.promise), shows: .pending)
    withExtendedLifetime(owner) {}
  }

  @Test("follow returns true, and the outer promise waits even after its owner is deallocated (2.3.2.1)", .rule("3.1"))
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
