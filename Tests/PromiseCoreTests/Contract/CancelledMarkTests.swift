import PromiseCore
import TestSupport
import Testing

@Suite("The cancelled mark of rejections")
struct CancelledMarkTests {
  @Test("Rejecting with CancellationError sets the mark, and rejecting with another error does not", .rule("1.2"))
  func set() {
    let deferred = Deferred<Int>()
    deferred.reject(CancellationError())
    #expect(deferred.promise.isCancelled && deferred.promise.isRejected)
    #expect(deferred.promise.seen == .rejected(.cancellation))
    #expect(Promise<Int>.rejected(CancellationError()).isCancelled)
    #expect(Promise<Int>(catching: { throw CancellationError() }).isCancelled)
    #expect(!Promise<Int>.rejected(TestError(1)).isCancelled)
    #expect(!Promise<Int>(catching: { throw TestError(1) }).isCancelled)
  }

  @Test(
    "Links that pass a rejection through keep the mark, even always and catch", .rule("1.2"), arguments: LinkKind.links)
  func kept(_ kind: LinkKind) {
    let context = ManualContext()
    let derived = kind.attach(to: .rejected(CancellationError()), on: context, giving: 2) {}
    context.runUntilIdle()
    let replaces = kind.handlesErrors && (kind.substitutes || kind == .mapError) && kind != .recoverFrom
    #expect(derived.isCancelled == !replaces)
    if !replaces { #expect(derived.seen == .rejected(.cancellation)) }
  }

  @Test("A handler clears the mark by throwing another error, and sets it by throwing CancellationError", .rule("1.2"))
  func thrownAnew() {
    let context = ManualContext()
    let cancelled = Promise<Int>.rejected(CancellationError())
    let other = cancelled.recover(on: context) { _ in throw TestError(1) }
    let again = cancelled.recover(on: context) { throw $0 }
    let fresh = Promise.fulfilled(1).map(on: context, to: Int.self) { _ in throw CancellationError() }
    context.runUntilIdle()
    #expect(other.seen == .failed(1) && !other.isCancelled)
    #expect(again.isCancelled)
    #expect(fresh.isCancelled)
  }

  @Test("Adoption and following keep the mark", .rule("1.2", "2.6", "3.1"), arguments: [true, false])
  func adopted(settledBefore: Bool) {
    let context = ManualContext()
    let inner = Deferred<Int>()
    if settledBefore { inner.reject(CancellationError()) }
    let follower = Deferred<Int>()
    follower.follow(inner.promise)
    let promise = inner.promise
    let adopter = Promise.fulfilled(1).then(on: context) { _ in promise }
    let rescued = Promise<Int>.rejected(TestError(1)).rescue(on: context) { _ in promise }
    context.runUntilIdle()
    inner.reject(CancellationError())
    for promise in [follower.promise, adopter, rescued] { #expect(promise.isCancelled && promise.isRejected) }
  }
}
