import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.2.7.2 (rule 2.8): what a handler throws")
struct Clause2_2_7_2Tests {
  @Test(
    "2.2.7.2 (rule 2.3): the derived promise is rejected with it, whichever handler threw it",
    arguments: Settling.allCases, Outcome.settled)
  func rejectsTheDerived(_ settling: Settling, _ outcome: Outcome) {
    for form in Form.handling(outcome) where form.derives || form == .tap {
      let context = ManualContext()
      let derived = settling.settle(as: outcome) { form.attach(to: $0, on: context) { _ in throw TestError(7) } }
      context.runUntilIdle()
      expect(derived, shows: .error(7))
    }
  }

  @Test(
    "2.2.7.2 (rule 2.3): with the very object that was thrown, by validate, compactMap and mapError too",
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
    for promise in derived + [replaced] {
      guard case .failure(let error) = promise.result else {
        Issue.record("a thrown error must reject")
        continue
      }
      #expect(error as? Token === token)
    }
  }

  @Test(
    "2.2.7.2 (rule 2.3): of two handlers the second does not see what the first throws",
    arguments: Settling.allCases)
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
    "2.2.7.2 (rule 2.3): the next handler for errors sees it, and the chain goes on",
    arguments: Settling.allCases, Outcome.settled)
  func seenByTheNext(_ settling: Settling, _ outcome: Outcome) {
    let context = ManualContext()
    let seen = Log<Outcome>()
    let last = settling.settle(as: outcome) { promise in
      Form.mapBoth.attach(to: promise, on: context) { _ in throw TestError(2) }
        .map(on: context) { $0 + 100 }
        .recover(on: context) { error in
          seen.append(Outcome(error))
          return 3
        }
        .map(on: context) { $0 + 1 }
    }
    context.runUntilIdle()
    #expect(seen.entries == [.error(2)])
    expect(last, shows: .value(4))
  }
}
