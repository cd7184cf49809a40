import PromiseCore
import TestSupport
import Testing

@Suite("Await: the value")
struct AwaitTests {
  let executor = ManualExecutor()
  let deferred = Deferred<Int>()

  @Test(
    "A settled promise gives its outcome to a Task without suspending it, even to a cancelled Task", .rule("4.7"),
    arguments: Settlement.allCases, [false, true])
  func settled(_ settlement: Settlement, isCancelled: Bool) {
    deferred.settle(settlement.result)
    let waiting = Waiting(for: deferred.promise, on: executor)
    if isCancelled { waiting.task.cancel() }
    #expect(executor.runUntilIdle() == 1)
    #expect(waiting.seen == [settlement.seen])
  }

  @Test(
    "A Task waits for a pending promise, and the settling call runs none of the Task's code",
    arguments: Settlement.allCases)
  func pending(_ settlement: Settlement) {
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    #expect(waiting.seen == [])
    deferred.settle(settlement.result)
    #expect(waiting.seen == [])
    #expect(executor.runUntilIdle() == 1)
    #expect(waiting.seen == [Seen(settlement.result)])
  }

  @Test(
    "A Task that is cancelled before or while it waits throws CancellationError at once and leaves the promise pending",
    .rule("4.7"), arguments: [false, true])
  func cancelled(isWaiting: Bool) {
    let waiting = Waiting(for: deferred.promise, on: executor)
    if isWaiting { executor.runUntilIdle() }
    waiting.task.cancel()
    #expect(executor.runUntilIdle() == 1)
    #expect(waiting.seen == [.rejected(.cancellation)])
    #expect(deferred.promise.isPending)
    #expect(deferred.fulfill(1))
    #expect(executor.runUntilIdle() == 0)
    #expect(waiting.seen.count == 1)
  }

  @Test("A Task that is cancelled while the handlers of its promise are scheduled gets the outcome", .rule("4.7"))
  func cancelledWhileFiring() {
    let waiting = Locked<Waiting<Int>?>(nil)
    deferred.promise.onFulfilled(on: CallingContext { waiting.withLock { $0 }?.task.cancel() }) { _ in }
    waiting.withLock { $0 = Waiting(for: deferred.promise, on: executor) }
    executor.runUntilIdle()
    deferred.fulfill(1)
    executor.runUntilIdle()
    #expect(waiting.withLock { $0 }?.seen == [.fulfilled(1)])
  }

  @Test("A Task that is cancelled after its promise was settled gets the outcome", .rule("4.7"))
  func settledThenCancelled() {
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    deferred.fulfill(1)
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.seen == [.fulfilled(1)])
  }

  @Test("Cancelled waiters leave, and the other waiters get the outcome", .rule("4.7"))
  func several() {
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

  @Test("A waiter throws PromiseError.broken if the owner is deallocated", .rule("6.2"))
  func broken() {
    var deferred: Deferred<Int>? = Deferred(line: 7)
    let waiting = Waiting(for: deferred!.promise, on: executor)
    executor.runUntilIdle()
    deferred = nil
    executor.runUntilIdle()
    #expect(waiting.seen == [.rejected(.broken(7))])
  }

  @Test("Awaiting a cancelled promise throws its reason and does not cancel the Task", .rule("1.2", "4.7"))
  func cancelledPromise() {
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    deferred.promise.cancel(reason: TestError(3))
    executor.runUntilIdle()
    #expect(waiting.seen == [.failed(3)])
    #expect(!waiting.task.isCancelled)
  }

  @Test("A value of any size, an optional or an error is returned unchanged")
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

  @Test("A Task resumes on the actor on which it waits")
  @MainActor
  func isolation() async throws {
    let waiting = Task { @MainActor in
      let value = try await deferred.promise.value
      MainActor.assertIsolated()
      return value
    }
    deferred.fulfill(1)
    #expect(try await waiting.value == 1)
  }

  @Test(
    "A cancelled waiter that was the last client throws and runs the owner's cancellation hook", .rule("4.0", "4.7"))
  func lastClient() {
    let log = Log<Int>()
    let deferred = Deferred<Int>(cancelWhenUnobserved: true)
    deferred.onCancel(on: .atOnce) { _ in log.append(1) }
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    #expect(log.entries == [])
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.seen == [.rejected(.cancellation)])
    #expect(log.entries == [1])
    withExtendedLifetime(deferred) {}
  }
}
