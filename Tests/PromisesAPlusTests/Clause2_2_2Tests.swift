import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.2.2: the handler for the value", .rule("2.8"))
struct Clause2_2_2Tests {
  @Test(
    "The handler is called with the value after the promise is fulfilled (2.2.2.1)", .rule("2.1"),
    arguments: Settling.allCases, Form.handling(.value(1)))
  func calledWithTheValue(_ settling: Settling, _ form: Form) {
    expectCalledOnce(form, .value(1), settling)
  }

  @Test(
    "The handler is not called before the promise is fulfilled (2.2.2.2)", .rule("2.1"),
    arguments: Settling.whilePending, Form.handling(.value(1)))
  func notCalledBefore(_ settling: Settling, _ form: Form) {
    expectNotCalledBefore(form, .value(1), settling)
  }

  @Test(
    "The handler is called once, however often the owner settles and threads run its job (2.2.2.3)", .rule("2.1"),
    arguments: Settling.byOwner, Form.handling(.value(1)))
  func calledOnceOnly(_ settling: Settling, _ form: Form) throws {
    try expectCalledOnceOnly(form, .value(1), settling)
  }

  @Test(
    "Handlers attached at different times are each called once (2.2.2.3)", .rule("2.1"), arguments: Settling.allCases)
  func eachCalledOnce(_ settling: Settling) {
    expectEachCalledOnce(.value(1), settling)
  }
}
