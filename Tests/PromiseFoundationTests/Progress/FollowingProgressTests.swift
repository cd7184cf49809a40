import Foundation
import PromiseFoundation
import TestSupport
import Testing

@Suite("Foundation's Progress of a promise", .bounded)
struct FollowingProgressTests {
  private let context = ManualContext()

  @Test("A Progress shows the reported progress in units, on its context")
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

  @Test("A Progress of a promise that is already settled shows the final progress", .rule("5.2", "5.3"))
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

  @Test("A rejection leaves the Progress at its last value", .rule("5.2"))
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

  @Test("Cancelling a promise cancels its Progress")
  func cancelledPromise() {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context)
    deferred.promise.cancel()
    context.runUntilIdle()
    #expect(progress.isCancelled)
  }

  @Test(
    "A promise that is cancelled because it has no client left cancels the Progress", .rule("4.6"),
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
    "A fulfilled promise completes any number of units", .rule("5.2"),
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

  @Test("A Progress loses its cancellation handler when its promise is settled")
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

  @Test("A Progress is not a consumer, so the work is cancelled when the last link cancels upstream", .rule("4.0"))
  func noConsumer() {
    let deferred = Deferred<Int>()
    let progress = Foundation.Progress.following(deferred.promise, on: context)
    deferred.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(deferred.promise.isCancelled)
    context.runUntilIdle()
    #expect(progress.isCancelled)
  }

  @Test("A Progress of a promise counts, and can be cancelled, in a tree of Progress")
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

  @Test("A promise retains its Progress while it is pending, and releases it when it is settled", .rule("6.3"))
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

  @Test("A Progress is neither finished nor cancelled when the owner of its promise is deallocated", .rule("6.2"))
  func ownerGone() {
    let progress = Foundation.Progress.following(Deferred<Int>().promise, on: context)
    context.runUntilIdle()
    #expect(!progress.isFinished)
    #expect(!progress.isCancelled)
    // This cancellation has no effect, because nothing is left to cancel.
    progress.cancel()
  }
}
