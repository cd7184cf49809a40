import Foundation
import PromiseFoundation
import TestSupport
import Testing

@Suite("Foundation's Progress: of a promise", .bounded)
struct FollowingProgressTests {
  private let context = ManualContext()

  @Test("row N8: shows what is reported, in units, on its context")
  func shows() {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context, totalUnitCount: 200)
    #expect(progress.totalUnitCount == 200)
    deferred.report(progress: 0.25)
    #expect(progress.completedUnitCount == 0)
    context.runUntilIdle()
    #expect(progress.completedUnitCount == 50)
    #expect(progress.fractionCompleted == 0.25)
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(progress.isFinished)
    #expect(!progress.isCancelled)
  }

  @Test("rules 5.2 5.3, row N8: shows where a promise is that has been settled before")
  func settledBefore() {
    let fulfilled = Foundation.Progress.following(Promise.fulfilled(1), on: context)
    let deferred = Deferred<Int>()
    deferred.report(progress: 0.5)
    deferred.reject(TestError(1))
    let rejected = Foundation.Progress.following(deferred.promise, on: context)
    context.runUntilIdle()
    #expect(fulfilled.isFinished)
    #expect(rejected.fractionCompleted == 0.5)
    #expect(!rejected.isCancelled)
  }

  @Test("rule 5.2, row N8: a rejection leaves it where it was")
  func rejection() {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context)
    deferred.report(progress: 0.5)
    deferred.reject(TestError(1))
    context.runUntilIdle()
    #expect(progress.fractionCompleted == 0.5)
    #expect(!progress.isFinished)
    #expect(!progress.isCancelled)
  }

  @Test("rules 4.0 4.5, row N8: to cancel it cancels the promise, and the owner learns of it")
  func cancelledByClient() async throws {
    let deferred = Deferred<Int>()
    let cancelled = Deferred<String>()
    deferred.onCancel { cancelled.fulfill("\($0)") }
    let progress = Foundation.Progress.following(deferred.promise, on: context)
    // Foundation calls the handler on another thread.
    progress.cancel()
    #expect(try await cancelled.promise.value == "CancellationError()")
    #expect(deferred.promise.isCancelled)
  }

  @Test("row N8: a promise that is cancelled cancels it")
  func cancelledPromise() {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context)
    deferred.promise.cancel()
    context.runUntilIdle()
    #expect(progress.isCancelled)
  }

  @Test(
    "A promise that is cancelled because it has no client left cancels the Progress", .rule("4.6"), .feature("N8"),
    arguments: [true, false])
  func unobserved(_ hasReported: Bool) {
    let deferred = Deferred<Int>(cancelWhenUnobserved: true)
    var promise: Promise<Int>? = deferred.promise
    let progress = promise.map { Foundation.Progress.following($0, on: context) }
    if hasReported { deferred.report(progress: 0.5) }
    promise = nil
    context.runUntilIdle()
    #expect(deferred.promise.isCancelled)
    #expect(progress?.isCancelled == true)
    #expect(progress?.cancellationHandler == nil)
  }

  @Test(
    "A fulfilled promise completes any number of units", .rule("5.2"), .feature("N8"),
    arguments: [Int64.max, .max - 1, 1 << 53 + 1, 7, 1, 0, -1, .min])
  func unitCounts(_ count: Int64) {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context, totalUnitCount: count)
    deferred.report(progress: 0.5)
    context.runUntilIdle()
    #expect(progress.completedUnitCount == Int64(0.5 * Double(count)))
    deferred.report(progress: 1.0.nextDown)
    context.runUntilIdle()
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(progress.completedUnitCount == count)
  }

  @Test("Cancelling a Progress whose promise is settled has no effect on the promise or what it held", .feature("N8"))
  func clearedAfterSettlement() {
    for isFulfilled in [true, false] {
      let deferred = Deferred<Int>()
      let progress = Foundation.Progress.following(deferred.promise, on: context)
      #expect(progress.cancellationHandler != nil)
      if isFulfilled { deferred.fulfill(1) } else { deferred.reject(TestError(1)) }
      context.runUntilIdle()
      #expect(progress.cancellationHandler == nil)
    }
  }

  @Test("A Progress is no consumer: the last link that gives up cancels the work", .rule("4.0"), .feature("N8"))
  func noConsumer() {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context)
    deferred.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(deferred.promise.isCancelled)
    context.runUntilIdle()
    #expect(progress.isCancelled)
  }

  @Test("row N8: counts in a tree of Progress")
  func tree() async {
    let (first, second) = (Deferred<Int>(), Deferred<Int>())
    let total = Foundation.Progress(totalUnitCount: 4)
    total.addChild(.following(first.promise, on: context), withPendingUnitCount: 3)
    total.addChild(.following(second.promise, on: context), withPendingUnitCount: 1)
    first.fulfill(1)
    second.report(progress: 0.5)
    context.runUntilIdle()
    #expect(total.fractionCompleted == 0.875)
    total.cancel()
    await #expect(throws: CancellationError.self) { try await second.promise.value }
    #expect(first.promise.isFulfilled)
  }

  @Test("rule 6.3, row N8: neither keeps the other once the promise is settled")
  func lifetimes() {
    let deferred = Deferred<Int>()
    weak var progress: Foundation.Progress?
    do {
      let kept = Foundation.Progress.following(deferred.promise, on: context)
      progress = kept
      deferred.report(progress: 0.5)
      context.runUntilIdle()
    }
    #expect(progress?.fractionCompleted == 0.5)
    deferred.fulfill(1)
    context.runUntilIdle()
    #expect(progress == nil)
  }

  @Test("rule 6.2, row N8: it does not keep a promise whose owner goes")
  func ownerGone() {
    let progress = Foundation.Progress.following(Deferred<Int>().promise, on: context)
    context.runUntilIdle()
    #expect(!progress.isFinished)
    #expect(!progress.isCancelled)
    // Nothing to cancel any more.
    progress.cancel()
  }
}
