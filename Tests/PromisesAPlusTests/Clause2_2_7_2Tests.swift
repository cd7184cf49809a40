import TestSupport
import Testing

@Suite("Promises/A+ 2.2.7.2: errors thrown by handlers", .rule("2.8", "2.3")) struct Clause2_2_7_2Tests {
  @Test(
    "The derived promise is rejected with the thrown error, whichever handler threw it (2.2.7.2)",
    arguments: Settling.allCases, Outcome.settled)
  func rejectsTheDerived(_ settling: Settling, _ outcome: Outcome) {
    for form in Form.handling(outcome) where form.derives || form == .tap {
      expectDerived(form, of: outcome, settling, shows: .error(7)) { _ in throw TestError(7) }
    }
  }

  @Test(
    "The derived promise gets the very object thrown, even by validate, compactMap or mapError (2.2.7.2)",
    arguments: Settling.allCases)
  func keepsTheObject(_ settling: Settling) {
    let context = ManualContext()
    let token = Token()
    let derived = settling.settle(as: .value(1)) { promise in
      [
        promise.map(on: context) { _ in throw token },
        promise.then(on: context) { _ in throw token },
        promise.validate(on: context) { _ in throw token },
        promise.compactMap(on: context) { _ in throw token },
      ]
    }
    let replaced = settling.settle(as: .error(1)) { $0.mapError(on: context) { _ in throw token } }
    context.runUntilIdle()
    for promise in derived + [replaced] { #expect(promise.error as? Token === token) }
  }

  @Test(
    "The second of two handlers does not see the error that the first throws (2.2.7.2)", arguments: Settling.allCases)
  func notSeenBySibling(_ settling: Settling) {
    for form in [Form.mapBoth, .thenBoth] {
      let context = ManualContext()
      let seen = Log<Outcome>()
      let derived = settling.settle(as: .value(1)) { promise in
        form.attach(to: promise, on: context) { outcome in
          seen.append(outcome)
          throw TestError(2)
        }
      }
      context.runUntilIdle()
      #expect(seen.entries == [.value(1)], "\(form)")
      expect(derived, shows: .error(2))
    }
  }

  @Test(
    "The next handler for errors sees the thrown error, and the chain continues (2.2.7.2)",
    arguments: Settling.allCases, Outcome.settled)
  func seenByTheNext(_ settling: Settling, _ outcome: Outcome) {
    let context = ManualContext()
    let seen = Log<Outcome>()
    let last = settling.settle(as: outcome) { promise in
      Form.mapBoth.attach(to: promise, on: context) { _ in throw TestError(2) }
        .map(on: context) { $0 + 100 }
        .recover(on: context) { seen.append(Outcome($0), returning: 3) }
        .map(on: context) { $0 + 1 }
    }
    context.runUntilIdle()
    #expect(seen.entries == [.error(2)])
    expect(last, shows: .value(4))
  }
}
