import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.1.3: a rejected promise", .rule("2.8"))
struct Clause2_1_3Tests {
  @Test(
    "A second settlement never changes a rejected promise, reaches a handler or returns true (2.1.3.1)",
    .rule("1.1", "1.3"),
    arguments: Settling.byOwner, SecondSettlement.allCases)
  func staysRejected(_ settling: Settling, _ second: SecondSettlement) {
    expectNoTransition(from: .error(1), settling, second)
  }

  @Test(
    "A second settlement from a handler never changes a rejected promise (2.1.3.1)", .rule("1.3"),
    arguments: Settling.byOwner, SecondSettlement.allCases)
  func staysRejectedInHandler(_ settling: Settling, _ second: SecondSettlement) {
    expectNoTransitionInHandler(from: .error(1), settling, second)
  }

  @Test(
    "A rejected promise keeps its reason when its owner is deallocated (2.1.3.1)", .rule("1.1"),
    arguments: Settling.byOwner)
  func staysRejectedWithoutOwner(_ settling: Settling) {
    expect(settling.settle(as: .error(1)) { $0 }, shows: .error(1))
  }

  @Test(
    "A handler that recovers does not change a rejected promise (2.1.3.1)", .rule("1.1"), arguments: Settling.allCases)
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

  @Test(
    "The reason of a rejected promise is always the same object (2.1.3.2)", .rule("1.1"), arguments: Settling.allCases)
  func keepsItsReason(_ settling: Settling) {
    expectSameObject(.error(1), settling)
  }
}
