import PromiseCore
import TestSupport
import Testing

/// A waiter counts as a consumer. The tests see this in the state of a promise after its other consumers have left.
@Suite("Await: waiters as consumers")
struct AwaitConsumerTests {
  let executor = ManualExecutor()
  let shared = Deferred<Int>()
  let adopter = Deferred<Int>()
  let waiting: Waiting<Int>

  init() {
    adopter.follow(shared.promise)
    waiting = Waiting(for: shared.promise, on: executor)
    executor.runUntilIdle()
  }

  @Test("A promise that a Task awaits survives the cancellation of its adopter", .rule("4.0", "4.4"))
  func counted() {
    adopter.promise.cancel(reason: TestError(1))
    #expect(shared.promise.isPending)
    shared.fulfill(1)
    executor.runUntilIdle()
    #expect(waiting.seen == [.fulfilled(1)])
  }

  @Test("A cancelled waiter has left the count of consumers before the cancelling call returns", .rule("4.4", "4.7"))
  func leaves() {
    waiting.task.cancel()
    #expect(shared.promise.isPending)
    adopter.promise.cancel(reason: TestError(1))
    #expect(shared.promise.isCancelled)
    executor.runUntilIdle()
    #expect(waiting.seen == [.rejected(.cancellation)])
  }

  @Test("A waiter that leaves as the last consumer does not cancel the promise", .rule("4.7"))
  func last() {
    adopter.promise.cancel(reason: TestError(1))
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(shared.promise.isPending)
    #expect(shared.fulfill(1))
  }

  @Test("A Task that is cancelled before it waits is never counted as a consumer", .rule("4.4", "4.7"))
  func neverCounted() {
    let late = Waiting(for: shared.promise, on: executor)
    late.task.cancel()
    executor.runUntilIdle()
    waiting.task.cancel()
    adopter.promise.cancel(reason: TestError(1))
    #expect(shared.promise.isCancelled)
    // A Task that does not run to its end leaks.
    executor.runUntilIdle()
  }
}
