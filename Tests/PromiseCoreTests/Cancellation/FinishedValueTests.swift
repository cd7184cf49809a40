import TestSupport
import Testing

@Suite("Waits that give up their promise", .leavingNothing, .rule("4.7")) struct FinishedValueTests {
  private let executor = ManualExecutor()
  private let context = ManualContext()
  private let source = Deferred<Int>()
  /// Ends the cleanup of ``linkWithCleanup()``.
  private let cleanup = Deferred<Void>()

  /// A link whose cleanup goes on after a cancellation, until the test ends it.
  private func linkWithCleanup() -> Promise<Int> {
    source.promise.alwaysThen(on: context) { [cleanup] _ in cleanup.promise }
  }

  /// Starts a Task that waits, and gives the promise up if it is cancelled.
  private func wait(for promise: Promise<Int>) -> Waiting<Int> {
    let waiting = Waiting(for: promise, cancelsSource: true, on: executor)
    executor.runUntilIdle()
    return waiting
  }

  @Test("A cancelled Task gives the promise up, and throws when it has finished", arguments: [false, true])
  func cancelledTask(isWaiting: Bool) throws {
    try TestWorld.run { world in
      let source = Deferred<Int>()
      let cleanup = Deferred<Void>()
      let work = source.promise.alwaysThen(on: world.main) { _ in cleanup.promise }
      let waiting = Waiting(for: work, cancelsSource: true, on: world.taskExecutor)
      if isWaiting { world.runUntilIdle() }
      waiting.task.cancel()
      world.runUntilIdle()
      #expect(work.isCancelled)
      #expect(source.promise.isCancelled)
      #expect(waiting.results.isEmpty)
      cleanup.fulfill()
      world.runUntilIdle()
      #expect(waiting.results == [.rejected(.cancellation)])
    }
  }

  @Test("A cancelled Task throws at once if another consumer keeps the promise going", .rule("4.4"))
  func otherConsumer() {
    let work = linkWithCleanup()
    let kept = work.map(on: context) { $0 }
    let waiting = wait(for: work)
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.results == [.rejected(.cancellation)])
    #expect(work.isPending)
    #expect(kept.isPending)
  }

  @Test("A wait for a promise that another client cancels ends when the promise has finished")
  func otherClient() {
    let work = linkWithCleanup()
    let waiting = wait(for: work)
    work.cancel(reason: TestError(3), upstream: true)
    executor.runUntilIdle()
    context.runUntilIdle()
    executor.runUntilIdle()
    #expect(waiting.results.isEmpty)
    cleanup.fulfill()
    executor.runUntilIdle()
    #expect(waiting.results == [.failed(3)])
  }

  @Test("A wait for a promise that is settled and has not finished ends when it has finished")
  func settledBefore() {
    let work = linkWithCleanup()
    work.cancel(reason: TestError(3))
    context.runUntilIdle()
    let waiting = wait(for: work)
    #expect(waiting.results.isEmpty)
    cleanup.fulfill()
    executor.runUntilIdle()
    #expect(waiting.results == [.failed(3)])
  }

  @Test("A Task that is cancelled while its promise finishes throws when the promise has finished")
  func cancelledMeanwhile() {
    let work = linkWithCleanup()
    let waiting = wait(for: work)
    work.cancel()
    context.runUntilIdle()
    executor.runUntilIdle()
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.results.isEmpty)
    cleanup.fulfill()
    executor.runUntilIdle()
    #expect(waiting.results == [.rejected(.cancellation)])
  }

  @Test("A plain wait ends when the promise is settled")
  func plainValue() {
    let work = linkWithCleanup()
    let waiting = Waiting(for: work, on: executor)
    executor.runUntilIdle()
    work.cancel(reason: TestError(3))
    executor.runUntilIdle()
    #expect(waiting.results == [.failed(3)])
    context.runUntilIdle()
    #expect(!work.isFinished)
    cleanup.fulfill()
    #expect(work.isFinished)
  }

  @Test("Without a cancellation, the wait ends when the promise is settled", arguments: Settlement.allCases)
  func notCancelled(_ settlement: Settlement) {
    let waiting = wait(for: source.promise)
    source.settle(settlement.result)
    executor.runUntilIdle()
    #expect(waiting.results == [settlement.status])
  }

  @Test("An async closure that returns leaves no Task running behind it")
  func nestedTasks() throws {
    try TestWorld.run { world in
      let body = StubbornBody()
      let log = Log<String>()
      let outer = Promise.task {
        defer { log.append("outer returned") }
        let inner = Promise.task {
          defer { log.append("inner returned") }
          return await body()
        }
        return try await inner.value(cancelsSource: true)
      }
      world.runUntilIdle()
      outer.cancel()
      world.runUntilIdle()
      #expect(outer.isCancelled)
      #expect(log.entries.isEmpty)
      body.end()
      world.runUntilIdle()
      #expect(log.entries == ["inner returned", "outer returned"])
      #expect(outer.isFinished)
    }
  }
}
