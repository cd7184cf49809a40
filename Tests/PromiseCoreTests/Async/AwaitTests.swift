import TestSupport
import Testing

@Suite("Await", .leavingNothing, .bounded) struct AwaitTests {
  let executor = ManualExecutor()
  let context = ManualContext()
  let census = Tracked.Census()
  let work = StoppableWork()
  let deferred = Deferred<Int>()

  @Test("A settled promise suspends no awaiting Task", .rule("4.7"), arguments: Settlement.allCases, [false, true])
  func settled(_ settlement: Settlement, isCancelled: Bool) {
    deferred.settle(settlement.result)
    for cancelsSource in [false, true] {
      let waiting = Waiting(for: deferred.promise, cancelsSource: cancelsSource, on: executor)
      if isCancelled { waiting.task.cancel() }
      #expect(executor.runUntilIdle() == 1)
      #expect(waiting.results == [settlement.status])
    }
  }

  @Test("A Task waits for a pending promise, whose settlement runs no code of the Task", arguments: Settlement.allCases)
  func pending(_ settlement: Settlement) {
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    #expect(waiting.results == [])
    deferred.settle(settlement.result)
    #expect(waiting.results == [])
    #expect(executor.runUntilIdle() == 1)
    #expect(waiting.results == [settlement.status])
    #expect(!waiting.task.isCancelled)
  }

  @Test("A cancelled Task throws at once and leaves the promise pending", .rule("4.7"), arguments: [false, true])
  func cancelled(isWaiting: Bool) {
    let waiting = Waiting(for: deferred.promise, on: executor)
    if isWaiting { executor.runUntilIdle() }
    waiting.task.cancel()
    #expect(executor.runUntilIdle() == 1)
    #expect(waiting.results == [.rejected(.cancellation)])
    #expect(deferred.promise.isPending)
    #expect(deferred.fulfill(1))
    #expect(executor.runUntilIdle() == 0)
    #expect(waiting.results.count == 1)
  }

  @Test("A Task cancelled after the settlement, or while handlers are scheduled, gets the outcome", .rule("4.7"))
  func cancelledTooLate() {
    let first = Locked<Waiting<Int>?>(nil)
    deferred.promise.onFulfilled(on: CallingContext { first.withLock { $0 }?.task.cancel() }) { _ in }
    first.withLock { $0 = Waiting(for: deferred.promise, on: executor) }
    let second = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    deferred.fulfill(1)
    second.task.cancel()
    executor.runUntilIdle()
    #expect(first.withLock { $0 }?.results == [.fulfilled(1)])
    #expect(second.results == [.fulfilled(1)])
  }

  @Test("A Task is no consumer when its cancel returns, whether it waited or had not started", .rule("4.4", "4.7"))
  func leaves() {
    let adopter = Deferred<Int>()
    adopter.follow(deferred.promise)
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    let late = Waiting(for: deferred.promise, on: executor)
    late.task.cancel()
    executor.runUntilIdle()
    waiting.task.cancel()
    #expect(deferred.promise.isPending)
    adopter.promise.cancel(reason: TestError(1))
    #expect(deferred.promise.isCancelled)
    executor.runUntilIdle()
    #expect(waiting.results == [.rejected(.cancellation)])
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
    #expect(got.0 == large)
    #expect(got.1 == nil)
    #expect(got.2 as? TestError == TestError(1))
  }

  @Test("A Task resumes on the actor on which it waits")
  @MainActor func isolation() async throws {
    let waiting = Task { @MainActor in
      let value = try await deferred.promise.value
      MainActor.assertIsolated()
      return value
    }
    deferred.fulfill(1)
    #expect(try await waiting.value == 1)
  }

  @Test("A cancelled waiter that was the last client throws and runs the owner's hook", .rule("4.0", "4.7"))
  func lastClient() {
    let log = Log<Int>()
    let deferred = Deferred<Int>(cancelsWithoutClients: true)
    deferred.onCancel(on: .atOnce) { _ in log.append(1) }
    let waiting = Waiting(for: deferred.promise, on: executor)
    executor.runUntilIdle()
    #expect(log.entries == [])
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.results == [.rejected(.cancellation)])
    #expect(log.entries == [1])
    withExtendedLifetime(deferred) {}
  }

  @Test("10,000 waiting Tasks resume in order and leave nothing behind", .rule("6.1"), arguments: [true, false])
  func manyTasks(isShared: Bool) {
    let log = Log<Int>()
    do {
      let owners = (0..<(isShared ? 1 : 10_000)).map { _ in Deferred<Tracked>() }
      for number in 0..<10_000 {
        let captured = Tracked(census)
        Task(executorPreference: executor) { [promise = owners[number % owners.count].promise] in
          withExtendedLifetime((captured, try? await promise.value)) { log.append(number) }
        }
      }
      executor.runUntilIdle()
      #expect(census.living == 10_000)
      for owner in owners { owner.fulfill(Tracked(census)) }
      executor.runUntilIdle()
      #expect(log.entries == Array(0..<10_000))
      // Only the promises retain their values.
      #expect(census.living == owners.count)
      withExtendedLifetime(owners) {}
    }
    #expect(census.living == 0)
  }

  @Test("A cancelled Task releases its captures once it has thrown, even if the promise is still pending", .rule("4.9"))
  func cancelledTask() {
    let deferred = Deferred<Int>()
    let captured = Tracked(census)
    let task = Task(executorPreference: executor) { [promise = deferred.promise] in
      withExtendedLifetime((captured, try? await promise.value)) {}
    }
    _ = consume captured
    executor.runUntilIdle()
    #expect(census.living == 1)
    task.cancel()
    executor.runUntilIdle()
    #expect(census.living == 0)
    #expect(deferred.promise.isPending)
  }

  /// Starts a Task that waits, and cancels it before it starts or while it waits. Returns its result.
  private func outcome(ofCancelled promise: Promise<Int>, isCancelledBefore: Bool) async -> [Status<Int>] {
    let waiting = Waiting(for: promise, cancelsSource: true, on: executor)
    if !isCancelledBefore { executor.runUntilIdle() }
    waiting.task.cancel()
    return await waiting.resultsEventually(on: executor)
  }

  @Test("A wait with cancelsSource stops the work behind links", .rule("4.4", "4.7"), arguments: 0..<3, [false, true])
  func behindLinks(length: Int, isCancelledBefore: Bool) async {
    let promise = (0..<length).reduce(work.promise) { promise, _ in promise.map(on: context) { $0 } }
    let seen = await outcome(ofCancelled: promise, isCancelledBefore: isCancelledBefore)
    #expect(areCancelled([promise]))
    #expect(work.isStopped)
    #expect(seen == [.rejected(.cancellation)])
  }

  @Test(
    "Any other consumer keeps the work going when the waiting Task is cancelled", .rule("4.0", "4.7"),
    arguments: Consumer.allCases, [false, true])
  func otherConsumers(_ consumer: Consumer, isCancelledBefore: Bool) async {
    let kept = consumer.attach(to: work.promise, on: context, awaiting: executor)
    let seen = await outcome(ofCancelled: work.promise, isCancelledBefore: isCancelledBefore)
    #expect(seen == [.rejected(.cancellation)])
    #expect(work.goesOn)
    work.deferred.fulfill(1)
    context.runUntilIdle()
    executor.runUntilIdle()
    withExtendedLifetime(kept) {}
  }
}
