import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.2.3: the handler for the error", .rule("2.8"))
struct Clause2_2_3Tests {
  @Test(
    "The handler is called with the error after the promise is rejected (2.2.3.1)", .rule("2.1"),
    arguments: Settling.allCases, Form.handling(.error(1)))
  func calledWithTheError(_ settling: Settling, _ form: Form) {
    expectCalledOnce(form, .error(1), settling)
  }

  @Test(
    "The handler is not called before the promise is rejected (2.2.3.2)", .rule("2.1"),
    arguments: Settling.whilePending, Form.handling(.error(1)))
  func notCalledBefore(_ settling: Settling, _ form: Form) {
    expectNotCalledBefore(form, .error(1), settling)
  }

  @Test(
    "The handler is called once, however often the owner settles and threads run its job (2.2.3.3)", .rule("2.1"),
    arguments: Settling.byOwner, Form.handling(.error(1)))
  func calledOnceOnly(_ settling: Settling, _ form: Form) throws {
    try expectCalledOnceOnly(form, .error(1), settling)
  }

  @Test(
    "Handlers attached at different times are each called once (2.2.3.3)", .rule("2.1"), arguments: Settling.allCases)
  func eachCalledOnce(_ settling: Settling) {
    expectEachCalledOnce(.error(1), settling)
  }

  @Test(
    "A handler for one type of error is called only for that type (2.2.3.1)", .rule("2.1"),
    arguments: Settling.allCases)
  func typedHandlers(_ settling: Settling) {
    let context = ManualContext()
    let seen = Log<String>()
    let (unlike, like) = settling.settle(as: .error(1)) { promise in
      promise.catch(only: Token.self, on: context) { _ in seen.append("token") }
      promise.catch(only: TestError.self, on: context) { seen.append("error \($0.number)") }
      return (
        promise.recover(from: Token.self, on: context) { _ in 7 },
        promise.recover(from: TestError.self, on: context) { $0.number + 1 }
      )
    }
    context.runUntilIdle()
    #expect(seen.entries == ["error 1"])
    expect(unlike, shows: .error(1))
    expect(like, shows: .value(2))
  }
}
