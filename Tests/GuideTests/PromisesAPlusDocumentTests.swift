import PromiseContexts
import TestSupport
import Testing

// Contains the snippets of Docs/Reference/PromisesAPlus.md, word for word. `Scripts/check-snippets.py` compares them.

@Suite("The guide to Promises/A+") struct PromisesAPlusDocumentTests {
  private let slow = Deferred<Int>()

  @Test("An owner may still settle its promise after follow", .rule("3.4"))
  func follow() {
    let deferred = Deferred<Int>()
    deferred.follow(slow.promise)
    deferred.fulfill(1)  // true: the promise is fulfilled with 1, whatever becomes of `slow`
    slow.fulfill(2)
    #expect(deferred.promise.state.value == 1)
  }

  @Test("A promise of promises is locked in by the first call", .rule("1.3", "2.6"))
  func lockedIn() async throws {
    let locked = Deferred<Promise<Int>>()
    let promise = locked.promise.then { $0 }
    locked.fulfill(slow.promise)  // true
    locked.fulfill(.fulfilled(1))  // false: `promise` becomes what `slow` becomes
    slow.fulfill(2)
    let value = try await promise.value
    #expect(value == 2)
  }
}
