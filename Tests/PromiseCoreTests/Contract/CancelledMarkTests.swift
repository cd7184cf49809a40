import PromiseCore
import TestSupport
import Testing

@Suite("The cancelled mark, as far as rejecting sets it")
struct CancelledMarkTests {
  @Test("rule 1.2: to reject with CancellationError sets the mark, another error does not")
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
    "rule 1.2: what a rejection passes through keeps the mark, always and catch included", arguments: LinkKind.links)
  func kept(_ kind: LinkKind) {
    let context = ManualContext()
    let derived = kind.attach(to: .rejected(CancellationError()), on: context, giving: 2) {}
    context.runUntilIdle()
    let replaces = kind.handlesErrors && (kind.substitutes || kind == .mapError) && kind != .recoverFrom
    #expect(derived.isCancelled == !replaces)
    if !replaces { #expect(derived.seen == .rejected(.cancellation)) }
  }

  @Test("rule 1.2: a handler that throws another error loses the mark; one that throws CancellationError sets it")
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

  @Test("rules 1.2 2.6 3.1: adoption and following keep the mark", arguments: [true, false])
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
