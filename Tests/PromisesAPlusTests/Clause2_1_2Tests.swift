import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.1.2 (rule 2.8): a fulfilled promise")
struct Clause2_1_2Tests {
  @Test(
    "2.1.2.1 (rules 1.1, 1.3): no second settlement changes it, reaches a handler or answers true",
    arguments: Settling.byOwner, SecondSettlement.allCases)
  func staysFulfilled(_ settling: Settling, _ second: SecondSettlement) {
    expectNoTransition(from: .value(1), settling, second)
  }

  @Test(
    "2.1.2.1 (rule 1.3): nor does one that comes from a handler",
    arguments: Settling.byOwner, SecondSettlement.allCases)
  func staysFulfilledInHandler(_ settling: Settling, _ second: SecondSettlement) {
    expectNoTransitionInHandler(from: .value(1), settling, second)
  }

  @Test("2.1.2.1 (rule 1.1): nor does the end of its owner", arguments: Settling.byOwner)
  func staysFulfilledWithoutOwner(_ settling: Settling) {
    expect(settling.settle(as: .value(1)) { $0 }, shows: .value(1))
  }

  @Test("2.1.2.1 (rule 1.1): nor does a handler that throws", arguments: Settling.allCases)
  func staysFulfilledThoughHandlerThrows(_ settling: Settling) {
    for form in Form.handling(.value(1)) {
      let context = ManualContext()
      let promise = settling.settle(as: .value(1)) { promise in
        form.attach(to: promise, on: context) { _ in throw TestError(2) }
        return promise
      }
      #expect(context.runUntilIdle() == 1, "\(form)")
      expect(promise, shows: .value(1))
    }
  }

  @Test("2.1.2.2 (rule 1.1): its value is always the same object", arguments: Settling.allCases)
  func keepsItsValue(_ settling: Settling) {
    expectSameObject(.value(1), settling)
  }
}
