import PromiseCore
import TestSupport
import Testing

@Suite("The cancelled mark of rejections")
struct CancelledMarkTests {
  let context = ManualContext()

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
    let derived = kind.attach(to: .rejected(CancellationError()), on: context, giving: 2) {}
    context.runUntilIdle()
    let replaces =
      kind.handlesErrors && (kind.substitutes || kind.mapsErrors) && !LinkKind.typed.contains(kind)
    #expect(derived.isCancelled == !replaces)
    if !replaces { #expect(derived.seen == .rejected(.cancellation)) }
  }

  @Test("A handler clears the mark by throwing another error, and sets it by throwing CancellationError", .rule("1.2"))
  func thrownAnew() {
    let cancelled = Promise<Int>.rejected(CancellationError())
    let other = cancelled.recover(on: context) { _ in throw TestError(1) }
    let again = cancelled.recover(on: context) { throw $0 }
    let fresh = Promise.fulfilled(1).map(on: context, to: Int.self) { _ in throw CancellationError() }
    context.runUntilIdle()
    #expect(other.seen == .failed(1) && !other.isCancelled)
    #expect(again.isCancelled)
    #expect(fresh.isCancelled)
  }

  @Test(
    "catchFailure and onFailed see every rejection except those with the cancelled mark", .rule("1.2", "2.5"),
    arguments: [LinkKind.catchFailure, .onFailed])
  func failures(_ kind: LinkKind) {
    let cancelled = Deferred<Int>()
    let sources: [(promise: Promise<Int>, isSeen: Bool)] = [
      (.rejected(TestError(1)), true),
      (.rejected(CancellationError()), false),
      (Promise(catching: { throw CancellationError() }), false),
      (cancelled.promise, false),
      (cancelled.promise.map(on: context) { $0 }, false),
      (Promise.fulfilled(1).then(on: context) { _ in cancelled.promise }, false),
      // The mark counts, and not the error.
      (cancelled.promise.shielded().mapError(on: context) { $0 }, false),
      (Promise<Int>.rejected(CancellationError()).mapError(on: context) { _ in TestError(2) }, true),
      (Promise.fulfilled(1), false),
    ]
    let calls = sources.map { source in
      let log = Log<Int>()
      _ = kind.attach(to: source.promise, on: context, giving: 0) { log.append(1) }
      return log
    }
    context.runUntilIdle()
    cancelled.promise.cancel(reason: TestError(7))
    context.runUntilIdle()
    for (index, source) in sources.enumerated() {
      #expect(calls[index].entries.count == (source.isSeen ? 1 : 0), "source \(index)")
    }
  }

  @Test("catchFailure passes a cancelled rejection on, with its error and its mark", .rule("1.2"))
  func passedByCatchFailure() {
    let source = Deferred<Int>()
    let derived = source.promise.shielded().catchFailure(on: context) { _ in Issue.record("was cancelled") }
    source.promise.cancel(reason: TestError(7))
    context.runUntilIdle()
    #expect(derived.isCancelled && derived.seen == .failed(7))
  }

  @Test("Adoption and following keep the mark", .rule("1.2", "2.6", "3.1"), arguments: [true, false])
  func adopted(settledBefore: Bool) {
    let inner = Deferred<Int>()
    if settledBefore { inner.reject(CancellationError()) }
    let adopters = Adopting.allCases.map { $0.adopt(inner.promise, on: context) }
    inner.reject(CancellationError())
    for adopter in adopters { #expect(adopter.promise.isCancelled && adopter.promise.isRejected) }
  }
}
