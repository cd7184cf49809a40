import PromiseCore
import TestSupport
import Testing

@Suite("Tasks that wait with cancelsSource", .leavingNothing)
struct ValueCancelsSourceTests {
  private let context = ManualContext()
  private let executor = ManualExecutor()
  private let work = StoppableWork()

  /// Starts a Task that gives the promise up when it is cancelled. Returns the Task and a log of its result.
  private func owning(_ promise: Promise<Int>) -> (task: Task<Void, Never>, log: Log<Seen<Int>>) {
    let log = Log<Seen<Int>>()
    let task = Task(executorPreference: executor) {
      do { log.append(.fulfilled(try await promise.value(cancelsSource: true))) } catch {
        log.append(.rejected(Failure(error)))
      }
    }
    return (task, log)
  }

  @Test("The second of two Tasks to be cancelled stops the work", .rule("4.7"))
  func twoTasks() {
    let (first, second) = (owning(work.promise), owning(work.promise))
    executor.runUntilIdle()
    first.task.cancel()
    executor.runUntilIdle()
    #expect(first.log.entries == [.rejected(.cancellation)] && second.log.entries.isEmpty && work.goesOn)
    // The Task itself gives the promise up when it resumes.
    second.task.cancel()
    executor.runUntilIdle()
    #expect(work.isStopped)
    #expect(second.log.entries == [.rejected(.cancellation)])
  }

  @Test(
    "A cancelled Task that waits with cancelsSource stops the work behind links", .rule("4.4", "4.7"), arguments: 0..<3)
  func behindLinks(length: Int) {
    let promise = (0..<length).reduce(work.promise) { promise, _ in promise.map(on: context) { $0 } }
    let waiting = owning(promise)
    executor.runUntilIdle()
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(areCancelled([promise]) && work.isStopped)
    #expect(waiting.log.entries == [.rejected(.cancellation)])
  }

  @Test("A Task that was cancelled beforehand gives up a promise without other consumers", .rule("4.7"))
  func cancelledBeforehand() {
    let waiting = owning(work.promise.map(on: context) { $0 })
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.log.entries == [.rejected(.cancellation)] && work.isStopped)
  }

  @Test("A Task that was cancelled beforehand leaves a promise that another consumer wants", .rule("4.7"))
  func cancelledBeforehandShared() {
    let other = work.promise.map(on: context) { $0 }
    let waiting = owning(work.promise)
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.log.entries == [.rejected(.cancellation)] && work.goesOn && other.isPending)
  }

  @Test(
    "Any other consumer keeps the work going when the waiting Task is cancelled", .rule("4.0", "4.7"),
    arguments: Consuming.allCases)
  func otherConsumers(_ consumer: Consuming) {
    let kept = consumer.attach(to: work.promise, on: context, awaiting: executor)
    let waiting = owning(work.promise)
    executor.runUntilIdle()
    waiting.task.cancel()
    executor.runUntilIdle()
    #expect(waiting.log.entries == [.rejected(.cancellation)] && work.goesOn)
    work.deferred.fulfill(1)
    context.runUntilIdle()
    executor.runUntilIdle()
    withExtendedLifetime(kept) {}
  }

  @Test("A Task that waits with cancelsSource is a consumer while it waits", .rule("4.0", "4.7"))
  func isConsumer() {
    let waiting = owning(work.promise)
    executor.runUntilIdle()
    work.promise.map(on: context) { $0 }.cancel(upstream: true)
    #expect(work.goesOn)
    work.deferred.fulfill(1)
    executor.runUntilIdle()
    #expect(waiting.log.entries == [.fulfilled(1)])
  }

  @Test(
    "A cancelled Task receives the outcome of a settled promise", .rule("4.7"), arguments: [true, false], [true, false])
  func settled(isFulfilled: Bool, isCancelledBefore: Bool) {
    if isFulfilled { work.deferred.fulfill(3) } else { work.deferred.reject(TestError(3)) }
    let waiting = owning(work.promise)
    if isCancelledBefore { waiting.task.cancel() }
    executor.runUntilIdle()
    #expect(waiting.log.entries == [isFulfilled ? .fulfilled(3) : .failed(3)])
  }

  @Test("An uncancelled Task receives the value or the error", .rule("4.7"), arguments: [true, false])
  func outcome(isFulfilled: Bool) {
    let waiting = owning(work.promise)
    executor.runUntilIdle()
    if isFulfilled { work.deferred.fulfill(3) } else { work.deferred.reject(TestError(3)) }
    executor.runUntilIdle()
    waiting.task.cancel()
    #expect(waiting.log.entries == [isFulfilled ? .fulfilled(3) : .failed(3)] && work.reasons.isEmpty)
  }

  @Test("A cancelled Task that waits without cancelsSource leaves the work going", .rule("4.7"))
  func leaves() {
    let promise = work.promise
    let task = Task(executorPreference: executor) { _ = try? await promise.value(cancelsSource: false) }
    executor.runUntilIdle()
    task.cancel()
    executor.runUntilIdle()
    #expect(work.goesOn)
  }
}
