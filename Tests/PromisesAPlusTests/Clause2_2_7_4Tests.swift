import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.2.7.4: errors without a handler", .rule("2.8"))
struct Clause2_2_7_4Tests {
  @Test(
    "The derived promise is rejected with the same error, through any number of links (2.2.7.4)", .rule("2.3"),
    arguments: Settling.allCases, Form.leavingOut(.error(1)))
  func sameError(_ settling: Settling, _ form: Form) {
    for links in [1, 2, 100] { expectPassedThrough(form, .error(1), settling, links: links) }
  }

  @Test(
    "The derived promise is rejected with the very same object, whatever types the links have (2.2.7.4)", .rule("2.3"),
    arguments: Settling.allCases)
  func sameObject(_ settling: Settling) {
    let context = ManualContext()
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
    guard case .rejected(let error) = derived.state else {
      Issue.record("the error must pass")
      return
    }
    #expect(error as? Token === token)
  }
}
