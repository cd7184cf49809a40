import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.1.3 (rule 2.8): a rejected promise")
struct Clause2_1_3Tests {
  @Test(
    "2.1.3.1 (rules 1.1, 1.3): no second settlement changes it, reaches a handler or answers true",
    arguments: Settling.byOwner, SecondSettlement.allCases)
  func staysRejected(_ settling: Settling, _ second: SecondSettlement) {
    expectNoTransition(from: .error(1), settling, second)
  }

  @Test(
    "2.1.3.1 (rule 1.3): nor does one that comes from a handler",
    arguments: Settling.byOwner, SecondSettlement.allCases)
  func staysRejectedInHandler(_ settling: Settling, _ second: SecondSettlement) {
    expectNoTransitionInHandler(from: .error(1), settling, second)
  }

  @Test("2.1.3.1 (rule 1.1): nor does the end of its owner, which is no new reason", arguments: Settling.byOwner)
  func staysRejectedWithoutOwner(_ settling: Settling) {
    expect(settling.settle(as: .error(1)) { $0 }, shows: .error(1))
  }

  @Test("2.1.3.1 (rule 1.1): nor does a handler that recovers", arguments: Settling.allCases)
  func staysRejectedThoughRecovered(_ settling: Settling) {
    for form in Form.deriving(.error(1)) {
      let context = ManualContext()
      let (promise, derived) = settling.settle(as: .error(1)) { promise in
        (promise, form.attach(to: promise, on: context) { _ in 2 })
      }
      context.runUntilIdle()
      expect(derived, shows: .value(2))
      expect(promise, shows: .error(1))
    }
  }

  @Test("2.1.3.2 (rule 1.1): its reason is always the same object", arguments: Settling.allCases)
  func keepsItsReason(_ settling: Settling) {
    expectSameObject(.error(1), settling)
  }
}
