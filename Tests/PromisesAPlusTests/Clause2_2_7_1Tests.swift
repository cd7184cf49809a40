import PromiseCore
import TestSupport
import Testing

/// What a handler returns settles the promise derived by it. Where that is a promise, see 2.3.1 and 2.3.2.
@Suite("Promises/A+ 2.2.7.1 (rule 2.8): what a handler returns")
struct Clause2_2_7_1Tests {
  @Test(
    "2.2.7.1 (rule 2.4): the derived promise is fulfilled with it, whichever handler returned it",
    arguments: Settling.allCases, Outcome.settled)
  func fulfilsTheDerived(_ settling: Settling, _ outcome: Outcome) {
    for form in Form.deriving(outcome) {
      let context = ManualContext()
      let derived = settling.settle(as: outcome) { form.attach(to: $0, on: context) { _ in 7 } }
      context.runUntilIdle()
      expect(derived, shows: .value(7))
    }
  }

  @Test(
    "2.2.7.1 (rule 2.8): it may be of another type, and so may the promise that a handler returns",
    arguments: Settling.allCases, Outcome.settled)
  func anotherType(_ settling: Settling, _ outcome: Outcome) throws {
    let context = ManualContext()
    let (mapped, chained) = settling.settle(as: outcome) { promise in
      (
        promise.map(on: context, fulfilled: { "value \($0)" }, rejected: { "error \(Outcome($0))" }),
        promise.then(
          on: context,
          fulfilled: { .fulfilled("value \($0)") },
          rejected: { .fulfilled("error \(Outcome($0))") }
        )
      )
    }
    context.runUntilIdle()
    let expected = outcome.isValue ? "value 1" : "error error(1)"
    #expect(try mapped.result?.get() == expected)
    #expect(try chained.result?.get() == expected)
  }

  @Test(
    "2.2.7.1 (rule 2.8): from link to link each handler gets what the one before it returned",
    arguments: Settling.allCases, Outcome.settled)
  func fromLinkToLink(_ settling: Settling, _ outcome: Outcome) {
    let context = ManualContext()
    let seen = Log<Outcome>()
    let last = settling.settle(as: outcome) { promise in
      (2...5).reduce(promise) { promise, number in
        Form.mapBoth.attach(to: promise, on: context) { outcome in
          seen.append(outcome)
          return number
        }
      }
    }
    context.runUntilIdle()
    #expect(seen.entries == [outcome, .value(2), .value(3), .value(4)])
    expect(last, shows: .value(5))
  }

  @Test(
    "2.2.7.1 (rule 2.8): what tap, catch and always return is nothing: the outcome stays",
    arguments: Settling.allCases)
  func lookingChangesNothing(_ settling: Settling) {
    for outcome in Outcome.settled {
      for form in Form.handling(outcome) where form.isLink && !form.derives {
        let context = ManualContext()
        let derived = settling.settle(as: outcome) { form.attach(to: $0, on: context) { _ in 7 } }
        context.runUntilIdle()
        expect(derived, shows: outcome)
      }
    }
  }
}
