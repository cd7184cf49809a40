import TestSupport
import Testing

/// The value that a handler returns settles the promise that it derives. For a handler that returns a promise, see the
/// clauses 2.3.1 and 2.3.2.
@Suite("Promises/A+ 2.2.7.1: values returned by handlers", .rule("2.8")) struct Clause2_2_7_1Tests {
  @Test(
    "The derived promise is fulfilled with the returned value, whichever handler returned it (2.2.7.1)", .rule("2.4"),
    arguments: Settling.allCases, Outcome.settled)
  func fulfilsTheDerived(_ settling: Settling, _ outcome: Outcome) {
    for form in Form.deriving(outcome) { expectDerived(form, of: outcome, settling, shows: .value(7)) { _ in 7 } }
  }

  @Test(
    "A handler may return a value of another type, or a promise of another type (2.2.7.1)", .rule("2.8"),
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
    #expect(mapped.state.value == expected)
    #expect(chained.state.value == expected)
  }

  @Test(
    "Each handler of a chain gets the value that the previous handler returned (2.2.7.1)", .rule("2.8"),
    arguments: Settling.allCases, Outcome.settled)
  func fromLinkToLink(_ settling: Settling, _ outcome: Outcome) {
    let context = ManualContext()
    let seen = Log<Outcome>()
    let last = settling.settle(as: outcome) { promise in
      (2...5).reduce(promise) { promise, number in
        Form.mapBoth.attach(to: promise, on: context) { seen.append($0, returning: number) }
      }
    }
    context.runUntilIdle()
    #expect(seen.entries == [outcome, .value(2), .value(3), .value(4)])
    expect(last, shows: .value(5))
  }

  @Test("tap, catch and always pass on the outcome of a source (2.2.7.1)", .rule("2.8"), arguments: Settling.allCases)
  func lookingChangesNothing(_ settling: Settling) {
    for outcome in Outcome.settled {
      for form in Form.handling(outcome) where form.isLink && !form.derives {
        expectDerived(form, of: outcome, settling, shows: outcome) { _ in 7 }
      }
    }
  }
}
