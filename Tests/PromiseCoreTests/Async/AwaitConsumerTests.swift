import PromiseCore
import TestSupport
import Testing

/// A waiter counts as a consumer: seen by what becomes of a promise when the other consumers leave.
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

  @Test("rules 4.0 4.4: a promise that a Task awaits survives the cancellation of what adopted it")
  func counted() {
    adopter.promise.cancel(reason: TestError(1))
    #expect(shared.promise.isPending)
    shared.fulfill(1)
    executor.runUntilIdle()
    #expect(waiting.seen == [.fulfilled(1)])
  }

  @Test("rules 4.4 4.7: a cancelled waiter has left the count of consumers when the call that cancels it returns")
  func leaves() {
    waiting.task.cancel()
    #expect(shared.promise.isPending)
    adopter.promise.cancel(reason: TestError(1))
    #expect(shared.promise.isCancelled)
    executor.runUntilIdle()
    #expect(waiting.seen == [.rejected(.cancellation)])
  }

  @Test("rule 4.7: a waiter that leaves as the last consumer cancels nothing")
  func last() {
    adopter.promise.cancel(reason: TestError(1))
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(shared.promise.isPending)
    #expect(shared.fulfill(1))
  }

  @Test("rules 4.4 4.7: a Task that was cancelled before it waits is never counted")
  func neverCounted() {
    let late = Waiting(for: shared.promise, on: executor)
    late.task.cancel()
    executor.runUntilIdle()
    waiting.task.cancel()
    adopter.promise.cancel(reason: TestError(1))
    #expect(shared.promise.isCancelled)
    // A Task that is not run to its end leaks.
    executor.runUntilIdle()
  }
}
