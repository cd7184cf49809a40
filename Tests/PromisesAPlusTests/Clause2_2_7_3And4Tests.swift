import TestSupport
import Testing

@Suite("Promises/A+ 2.2.7.3 and 2.2.7.4: outcomes without a handler", .rule("2.8", "2.3"))
struct Clause2_2_7_3And4Tests {
  private let context = ManualContext()

  @Test(
    "The derived promise has the same outcome, through any number of links (2.2.7.3, 2.2.7.4)",
    arguments: Settling.allCases, Form.eachLeavingOut)
  func sameOutcome(_ settling: Settling, _ passed: (outcome: Outcome, form: Form)) {
    for links in [1, 2, 100] { expectPassedThrough(passed.form, passed.outcome, settling, links: links) }
  }

  @Test("The derived promise is fulfilled with the very same object (2.2.7.3)", arguments: Settling.allCases)
  func sameValue(_ settling: Settling) {
    let token = Token()
    let derived = settling.settle(with: .success(token)) { promise in
      promise.recover(on: context) { _ in Token() }.rescue(on: context) { throw $0 }.catch(on: context) { _ in }
    }
    #expect(derived.result?.token === token)
    #expect(derived.isFulfilled)
  }

  @Test("A nil value passes through links as a value (2.2.7.3)", .rule("1.4"), arguments: Settling.allCases)
  func nilPasses(_ settling: Settling) {
    let derived = settling.settle(with: Result<Int?, any Error>.success(nil)) { promise in
      promise.recover(on: context) { _ in 1 }.rescue(on: context) { _ in .fulfilled(2) }
    }
    guard case .fulfilled(nil) = derived.state else {
      Issue.record("\(derived.state) is not fulfilled with nil")
      return
    }
    #expect(context.count == 0)
  }

  @Test(
    "The derived promise is rejected with the very same object, whatever types the links have (2.2.7.4)",
    arguments: Settling.allCases)
  func sameError(_ settling: Settling) {
    let token = Token()
    let derived = settling.settle(with: Result<Int, any Error>.failure(token)) { promise in
      promise.map(on: context) { "\($0)" }
        .then(on: context) { .fulfilled([$0]) }
        .asVoid()
        .compactMap(on: context) { 1 }
        .validate(on: context) { $0 == 1 }
        .tap(on: context) { _ in }
    }
    #expect(context.count == 0)
    #expect(derived.error as? Token === token)
  }
}
