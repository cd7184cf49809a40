import TestSupport
import Testing

@Suite("The finish of promises that wait for others", .leavingNothing, .rule("2.11")) struct FinishOfSourcesTests {
  private let context = ManualContext()
  private let source = Deferred<Int>()
  /// Ends the cleanup of ``linkWithCleanup()``.
  private let cleanup = Deferred<Void>()

  /// A link whose cleanup goes on after a cancellation, until the test ends it.
  private func linkWithCleanup() -> Promise<Int> {
    source.promise.alwaysThen(on: context) { [cleanup] _ in cleanup.promise }
  }

  /// The way in which a promise waits for another promise without being its link.
  enum Waiter: CaseIterable, Sendable { case follower, adopter, lateAdopter }

  @Test("A cancelled promise waits for the cleanup of the promise that it has given up", arguments: Waiter.allCases)
  func adopted(_ waiter: Waiter) {
    let work = linkWithCleanup()
    let follower = Deferred<Int>()
    let derived = Locked<Promise<Int>?>(nil)
    let promise: Promise<Int>
    switch waiter {
    case .follower:
      follower.follow(work)
      promise = follower.promise
    case .adopter:
      promise = Promise.fulfilled(1).then(on: context) { _ in work }
    case .lateAdopter:
      promise = Promise.fulfilled(1).then(on: context) { _ in
        // The promise is cancelled before it adopts the work (rule 4.4).
        derived.withLock { $0.take() }?.cancel()
        return work
      }
    }
    derived.withLock { $0 = promise }
    context.runUntilIdle()
    if waiter != .lateAdopter { promise.cancel() }
    derived.withLock { $0 = nil }
    context.runUntilIdle()
    #expect(promise.isCancelled)
    #expect(work.isCancelled)
    #expect(!promise.isFinished)
    cleanup.fulfill()
    #expect(work.isFinished)
    #expect(promise.isFinished)
  }

  @Test("A promise does not wait for a source that it has left, even if that is cancelled later")
  func leftSource() {
    let work = linkWithCleanup()
    let kept = work.map(on: context) { $0 }
    let left = work.map(on: context) { $0 }
    let gaveUp = work.map(on: context) { $0 }
    left.cancel()
    gaveUp.cancel(upstream: true)
    #expect(work.isPending)
    #expect(left.isFinished)
    #expect(gaveUp.isFinished)
    work.cancel()
    context.runUntilIdle()
    #expect(!work.isFinished)
    #expect(!kept.isFinished)
    #expect(left.isFinished)
    #expect(gaveUp.isFinished)
    cleanup.fulfill()
    #expect(work.isFinished)
    #expect(kept.isFinished)
  }

  @Test("A link that recovers from a cancelled source has finished when the source has")
  func recovered() {
    let work = linkWithCleanup()
    work.cancel()
    context.runUntilIdle()
    let promise = work.recover(on: context) { _ in 5 }
    let finish = promise.whenFinished()
    context.runUntilIdle()
    #expect(promise.status == .fulfilled(5))
    #expect(!promise.isFinished)
    #expect(finish.isPending)
    cleanup.fulfill()
    #expect(promise.isFinished)
    #expect(finish.isFulfilled)
  }

  @Test("A shield has finished when it is settled, whatever its source still does")
  func shield() {
    let work = linkWithCleanup()
    let shield = work.shielded()
    let link = shield.asVoid()
    work.cancel()
    context.runUntilIdle()
    #expect(shield.isCancelled)
    #expect(shield.isFinished)
    #expect(link.isFinished)
    #expect(!work.isFinished)
    cleanup.fulfill()
    #expect(work.isFinished)
  }
}
