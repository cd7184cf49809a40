import TestSupport
import Testing

@Suite("Progress: the async sequence", .bounded) struct ProgressUpdatesTests {
  private let deferred = Deferred<Int>()

  @Test("If a second Task waits for the next value, the first gets nil")
  func twoTasks() async {
    // Safe, because the copies only share the observation, which is `Sendable`.
    nonisolated(unsafe) let iterator = deferred.promise.progressUpdates.makeAsyncIterator()
    let executor = ManualExecutor()
    let tasks = (0..<2).map { _ in
      Task(executorPreference: executor) {
        var copy = unsafe iterator
        return await copy.next()
      }
    }
    executor.runUntilIdle()
    deferred.report(progress: 0.5)
    executor.runUntilIdle()
    #expect(await tasks[0].value == nil)
    #expect(await tasks[1].value == 0.5)
  }

  private func rest(of iterator: inout ProgressUpdates.AsyncIterator) async -> [Double] {
    var values: [Double] = []
    while let value = await iterator.next() { values.append(value) }
    return values
  }

  @Test("progressUpdates yields the latest value, then 1 at the end, and finishes", .rule("5.2", "5.3", "5.5"))
  func latest() async {
    var iterator = deferred.promise.progressUpdates.makeAsyncIterator()
    deferred.report(progress: 0.25)
    #expect(await iterator.next() == 0.25)
    deferred.report(progress: 0.5)
    deferred.report(progress: 0.75)
    #expect(await iterator.next() == 0.75)
    deferred.fulfill(1)
    #expect(await rest(of: &iterator) == [1])
    #expect(await iterator.next() == nil)
    var late = deferred.promise.progressUpdates.makeAsyncIterator()
    #expect(await rest(of: &late) == [1])
  }

  @Test("A report during a lower one is not taken back when that goes on", .rule("5.1"))
  func reportDuringReport() async {
    // The observer comes first, so the sequence gets the higher value before the lower one.
    deferred.promise.onProgress(on: CallingContext { [deferred] in deferred.report(progress: 0.75) }) { _ in }
    var iterator = deferred.promise.progressUpdates.makeAsyncIterator()
    deferred.report(progress: 0.5)
    #expect(await iterator.next() == 0.75)
    // Breaks a retain cycle.
    deferred.fulfill(1)
  }

  @Test("progressUpdates of a rejection end after its last value", .rule("5.2", "5.3"), arguments: [false, true])
  func rejected(reports: Bool) async {
    var iterator = deferred.promise.progressUpdates.makeAsyncIterator()
    if reports { deferred.report(progress: 0.25) }
    deferred.reject(TestError(1))
    var late = deferred.promise.progressUpdates.makeAsyncIterator()
    #expect(await rest(of: &iterator) == (reports ? [0.25] : []))
    #expect(await rest(of: &late) == (reports ? [0.25] : []))
  }

  @Test("A task that waits for the next value is woken by each report", .rule("5.5"))
  func waits() async {
    let promise = deferred.promise
    let seen = Log<Double>()
    let gate = AsyncStream<Void>.makeStream()
    let task = Task {
      for await value in promise.progressUpdates {
        seen.append(value)
        gate.continuation.yield()
      }
    }
    var turns = gate.stream.makeAsyncIterator()
    for step in 1...4 {
      deferred.report(progress: Double(step) / 8)
      await turns.next()
    }
    deferred.fulfill(1)
    await task.value
    #expect(seen.entries == [0.125, 0.25, 0.375, 0.5, 1])
  }

  @Test("A cancelled task stops iterating at once, and the promise stays pending")
  func cancelled() async {
    let promise = deferred.promise
    let started = AsyncStream<Void>.makeStream()
    let task = Task {
      var count = 0
      for await _ in promise.progressUpdates {
        count += 1
        started.continuation.yield()
      }
      return count
    }
    deferred.report(progress: 0.25)
    var turns = started.stream.makeAsyncIterator()
    await turns.next()
    task.cancel()
    #expect(await task.value == 1)
    #expect(promise.isPending)
    #expect(deferred.report(progress: 0.5))
  }

  @Test("A task that is cancelled before it iterates sees no value")
  func cancelledBefore() async {
    let promise = deferred.promise
    deferred.report(progress: 0.25)
    let values = await Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      var values: [Double] = []
      for await value in promise.progressUpdates { values.append(value) }
      return values
    }.value
    #expect(values == [])
  }
}
