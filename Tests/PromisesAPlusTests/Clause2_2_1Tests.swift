import TestSupport
import Testing

/// The link determines which handler is left out. `map`, `then` and `tap` have no handler for the error. `recover`,
/// `rescue` and `catch` have no handler for the value.
@Suite("Promises/A+ 2.2.1: optional handlers", .rule("2.8", "2.3")) struct Clause2_2_1Tests {
  @Test(
    "A link without a handler for the outcome passes the outcome on (2.2.1.1, 2.2.1.2)",
    arguments: Settling.allCases, Form.eachLeavingOut)
  func noHandler(_ settling: Settling, _ passed: (outcome: Outcome, form: Form)) {
    expectPassedThrough(passed.form, passed.outcome, settling)
  }

  @Test("An observer of the other outcome is never scheduled (2.2.1)", arguments: Settling.allCases, Outcome.settled)
  func observerOfTheOther(_ settling: Settling, _ outcome: Outcome) {
    let context = ManualContext()
    settling.settle(as: outcome) { promise in
      let other: Form = outcome.isValue ? .onRejected : .onFulfilled
      other.attach(to: promise, on: context) { _ in 0 }
    }
    #expect(context.count == 0)
  }

  @Test(
    "The outcome passes any number of links to the first link with a handler for it (2.2.1)",
    arguments: Settling.allCases, Outcome.settled)
  func passesToTheFirstHandler(_ settling: Settling, _ outcome: Outcome) {
    let context = ManualContext()
    let seen = Log<Outcome>()
    settling.settle(as: outcome) { promise in
      let passed = Form.leavingOut(outcome).reduce(promise) { promise, form in
        form.attach(to: promise, on: context) { _ in 9 }
      }
      Form.mapBoth.attach(to: passed, on: context) { seen.append($0, returning: 0) }
    }
    #expect(context.runUntilIdle() == 1)
    #expect(seen.entries == [outcome])
  }
}
