import PromiseCore
import TestSupport
import Testing

@Suite("Await: the value")
struct AwaitTests {
  let executor = ManualExecutor()

  @Test("rule 4.7: a settled promise gives its outcome, and the Task does not suspend", arguments: Settlement.allCases)
  func settled(_ settlement: Settlement) {
    let deferred = Deferred<Int>()
    deferred.settle(settlement.result)
    let waiting = Waiting(for: deferred.promise, on: executor)
    #expect(executor.runUntilIdle() == 1)
    #expect(waiting.seen == [Seen(settlement.result)])
  }

  @Test("rule 4.7: a settled promise gives its outcome to a cancelled Task too", arguments: Settlement.allCases)
  func settledAndCancelled(_ settlement: Settlement) {
    let deferred = Deferred<Int>()
    deferred.settle(settlement.result)
    let waiting = Waiting(for: deferred.promise, on: executor)
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.seen == [Seen(settlement.result)])
  }

  @Test(
    "row L15: a pending promise is waited for, and the call that settles it runs none of the Task's code",
    arguments: Settlement.allCases)
  func pending(_ settlement: Settlement) {
    let deferred = Deferred<Int>()
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    #expect(waiting.seen == [])
    deferred.settle(settlement.result)
    #expect(waiting.seen == [])
    #expect(executor.runUntilIdle() == 1)
    #expect(waiting.seen == [Seen(settlement.result)])
  }

  @Test(
    "rule 4.7: a Task that is cancelled while it waits throws CancellationError at once; the promise stays as it is")
  func cancelled() {
    let deferred = Deferred<Int>()
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    waiting.task.cancel()
    #expect(executor.runUntilIdle() == 1)
    #expect(waiting.seen == [.rejected(.cancellation)])
    #expect(deferred.promise.isPending)
    #expect(deferred.fulfill(1))
    #expect(executor.runUntilIdle() == 0)
    #expect(waiting.seen.count == 1)
  }

  @Test("rule 4.7: a Task that was cancelled before throws CancellationError at once; the promise stays as it is")
  func cancelledBefore() {
    let deferred = Deferred<Int>()
    let waiting = Waiting(for: deferred.promise, on: executor)
    waiting.task.cancel()
    #expect(executor.runUntilIdle() == 1)
    #expect(waiting.seen == [.rejected(.cancellation)])
    #expect(deferred.promise.isPending)
  }

  @Test("A Task that is cancelled while the handlers of its promise are scheduled gets the outcome", .rule("4.7"))
  func cancelledWhileFiring() {
    let deferred = Deferred<Int>()
    let waiting = Locked<Waiting<Int>?>(nil)
    deferred.promise.onFulfilled(on: CallingContext { waiting.withLock { $0 }?.task.cancel() }) { _ in }
    waiting.withLock { $0 = Waiting(for: deferred.promise, on: executor) }
    executor.runUntilIdle()
    deferred.fulfill(1)
    executor.runUntilIdle()
    #expect(waiting.withLock { $0 }?.seen == [.fulfilled(1)])
  }

  @Test("rule 4.7: a Task whose promise is settled and that is then cancelled gets the outcome")
  func settledThenCancelled() {
    let deferred = Deferred<Int>()
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    deferred.fulfill(1)
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.seen == [.fulfilled(1)])
  }

  @Test("rule 4.7: of several waiters, the cancelled leave and the others get the outcome")
  func several() {
    let deferred = Deferred<Int>()
    let waiting = (0..<40).map { _ in Waiting(for: deferred.promise, on: executor) }
    executor.runUntilIdle()
    for index in waiting.indices where index % 2 == 0 { waiting[index].task.cancel() }
    executor.runUntilIdle()
    deferred.fulfill(1)
    executor.runUntilIdle()
    for index in waiting.indices {
      #expect(waiting[index].seen == [index % 2 == 0 ? .rejected(.cancellation) : .fulfilled(1)])
    }
  }

  @Test("rule 6.2: a waiter hears that the owner went away")
  func broken() {
    var deferred: Deferred<Int>? = Deferred(line: 7)
    let waiting = Waiting(for: deferred!.promise, on: executor)
    executor.runUntilIdle()
    deferred = nil
    executor.runUntilIdle()
    #expect(waiting.seen == [.rejected(.broken(7))])
  }

  @Test("rules 1.2 4.7: a cancelled promise throws its reason, and the Task is not cancelled by that")
  func cancelledPromise() {
    let deferred = Deferred<Int>()
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    deferred.promise.cancel(reason: TestError(3))
    executor.runUntilIdle()
    #expect(waiting.seen == [.failed(3)])
    #expect(!waiting.task.isCancelled)
  }

  @Test("row L15: a value of any size, and one that is an optional or an error, comes as it is")
  func payloads() async throws {
    let large = (0..<9).map { "\($0)" }
    let array = Deferred<[String]>()
    let none = Deferred<Int?>()
    let error = Deferred<any Error>()
    async let values = (array.promise.value, none.promise.value, error.promise.value)
    array.fulfill(large)
    none.fulfill(nil)
    error.fulfill(TestError(1))
    let got = try await values
    #expect(got.0 == large && got.1 == nil && got.2 as? TestError == TestError(1))
  }

  @Test("row L15: a Task waits where it runs, and goes on there")
  @MainActor
  func isolation() async throws {
    let deferred = Deferred<Int>()
    let waiting = Task { @MainActor in
      let value = try await deferred.promise.value
      MainActor.assertIsolated()
      return value
    }
    deferred.fulfill(1)
    #expect(try await waiting.value == 1)
  }
}
