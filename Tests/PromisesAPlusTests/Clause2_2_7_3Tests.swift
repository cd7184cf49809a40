import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.2.7.3: values without a handler", .rule("2.8"))
struct Clause2_2_7_3Tests {
  @Test(
    "The derived promise is fulfilled with the same value, through any number of links (2.2.7.3)", .rule("2.3"),
    arguments: Settling.allCases, Form.leavingOut(.value(1)))
  func sameValue(_ settling: Settling, _ form: Form) {
    for links in [1, 2, 100] { expectPassedThrough(form, .value(1), settling, links: links) }
  }

  @Test(
    "The derived promise is fulfilled with the very same object (2.2.7.3)", .rule("2.3"), arguments: Settling.allCases)
  func sameObject(_ settling: Settling) {
    let context = ManualContext()
    let token = Token()
    let derived = settling.settle(with: .success(token)) { promise in
      promise.recover(on: context) { _ in Token() }.rescue(on: context) { throw $0 }.catch(on: context) { _ in }
    }
    #expect(derived.result?.token === token)
    #expect(derived.isFulfilled)
  }

  @Test("A nil value passes through links as a value (2.2.7.3)", .rule("1.4", "2.3"), arguments: Settling.allCases)
  func nilPasses(_ settling: Settling) {
    let context = ManualContext()
    let derived = settling.settle(with: Result<Int?, any Error>.success(nil)) { promise in
      promise.recover(on: context) { _ in 1 }.rescue(on: context) { _ in .fulfilled(2) }
    }
    guard case .fulfilled(nil) = derived.state else {
      Issue.record("\(derived.state) is not fulfilled with nil")
      return
    }
    #expect(context.count == 0)
  }
}
