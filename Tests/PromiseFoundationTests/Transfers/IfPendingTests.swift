import TestSupport
import Testing

@testable import PromiseFoundation

@Suite("Owners that settle a promise only if it is pending")
struct IfPendingTests {
  @Test("A promise that no client has asked for yet is settled, and not cancelled", .rule("4.0"))
  func unobserved() {
    let fulfilled = Deferred<Int>(cancelWhenUnobserved: true)
    fulfilled.settleIfPending { 1 }
    #expect(fulfilled.promise.state.value == 1)
    let rejected = Deferred<Int>(cancelWhenUnobserved: true)
    rejected.rejectIfPending(with: TestError(1))
    #expect(rejected.promise.error as? TestError == TestError(1))
  }
}
