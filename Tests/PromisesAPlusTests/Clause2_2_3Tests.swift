import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.2.3 (rule 2.8): the handler for the error")
struct Clause2_2_3Tests {
  @Test(
    "2.2.3.1 (rule 2.1): it is called once the promise is rejected, with the error",
    arguments: Settling.allCases, Form.handling(.error(1)))
  func calledWithTheError(_ settling: Settling, _ form: Form) {
    expectCalledOnce(form, .error(1), settling)
  }

  @Test(
    "2.2.3.2 (rule 2.1): it is not called before the promise is rejected",
    arguments: Settling.whilePending, Form.handling(.error(1)))
  func notCalledBefore(_ settling: Settling, _ form: Form) {
    expectNotCalledBefore(form, .error(1), settling)
  }

  @Test(
    "2.2.3.3 (rule 2.1): it is called once, however often the owner settles and threads run its job",
    arguments: Settling.byOwner, Form.handling(.error(1)))
  func calledOnceOnly(_ settling: Settling, _ form: Form) throws {
    try expectCalledOnceOnly(form, .error(1), settling)
  }

  @Test("2.2.3.3 (rule 2.1): handlers attached at different times are each called once", arguments: Settling.allCases)
  func eachCalledOnce(_ settling: Settling) {
    expectEachCalledOnce(.error(1), settling)
  }

  @Test(
    "2.2.3.1 (rule 2.1): a handler for one type of error is called for that type only",
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
