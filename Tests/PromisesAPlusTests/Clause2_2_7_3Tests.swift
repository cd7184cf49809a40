import PromiseCore
import TestSupport
import Testing

@Suite("Promises/A+ 2.2.7.3 (rule 2.8): a value and no handler for it")
struct Clause2_2_7_3Tests {
  @Test(
    "2.2.7.3 (rule 2.3): the derived promise is fulfilled with the same value, through any number of links",
    arguments: Settling.allCases, Form.leavingOut(.value(1)))
  func sameValue(_ settling: Settling, _ form: Form) {
    for links in [1, 2, 100] { expectPassedThrough(form, .value(1), settling, links: links) }
  }

  @Test("2.2.7.3 (rule 2.3): with the very same object", arguments: Settling.allCases)
  func sameObject(_ settling: Settling) {
    let context = ManualContext()
    let token = Token()
    let derived = settling.settle(with: .success(token)) { promise in
      promise.recover(on: context) { _ in Token() }.rescue(on: context) { throw $0 }.catch(on: context) { _ in }
    }
    #expect(derived.result?.token === token)
    #expect(derived.isFulfilled)
  }
}
