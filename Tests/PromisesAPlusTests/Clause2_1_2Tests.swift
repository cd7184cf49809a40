import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.1.2: a fulfilled promise", .rule("2.8"))
struct Clause2_1_2Tests {
  @Test(
    "A second settlement never changes a fulfilled promise, reaches a handler or returns true (2.1.2.1)",
    .rule("1.1", "1.3"),
    arguments: Settling.byOwner, SecondSettlement.allCases)
  func staysFulfilled(_ settling: Settling, _ second: SecondSettlement) {
    expectNoTransition(from: .value(1), settling, second)
  }

  @Test(
    "A second settlement from a handler never changes a fulfilled promise (2.1.2.1)", .rule("1.3"),
    arguments: Settling.byOwner, SecondSettlement.allCases)
  func staysFulfilledInHandler(_ settling: Settling, _ second: SecondSettlement) {
    expectNoTransitionInHandler(from: .value(1), settling, second)
  }

  @Test(
    "A fulfilled promise stays the same when its owner is deallocated (2.1.2.1)", .rule("1.1"),
    arguments: Settling.byOwner)
  func staysFulfilledWithoutOwner(_ settling: Settling) {
    expect(settling.settle(as: .value(1)) { $0 }, shows: .value(1))
  }

  @Test(
    "A handler that throws does not change a fulfilled promise (2.1.2.1)", .rule("1.1"), arguments: Settling.allCases)
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

  @Test(
    "The value of a fulfilled promise is always the same object (2.1.2.2)", .rule("1.1"), arguments: Settling.allCases)
  func keepsItsValue(_ settling: Settling) {
    expectSameObject(.value(1), settling)
  }
}
