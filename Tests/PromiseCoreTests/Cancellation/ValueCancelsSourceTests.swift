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

  /// Starts a Task that waits, and cancels it before it starts or while it waits. Returns the log of its result.
  private func cancelled(_ promise: Promise<Int>, isCancelledBefore: Bool) -> Log<Seen<Int>> {
    let waiting = owning(promise)
    if !isCancelledBefore { executor.runUntilIdle() }
    waiting.task.cancel()
    executor.runUntilIdle()
    return waiting.log
  }

  @Test(
    "A cancelled Task that waits with cancelsSource stops the work behind links", .rule("4.4", "4.7"), arguments: 0..<3,
    [false, true])
  func behindLinks(length: Int, isCancelledBefore: Bool) {
    let promise = (0..<length).reduce(work.promise) { promise, _ in promise.map(on: context) { $0 } }
    let log = cancelled(promise, isCancelledBefore: isCancelledBefore)
    #expect(areCancelled([promise]) && work.isStopped && log.entries == [.rejected(.cancellation)])
  }

  @Test(
    "Any other consumer keeps the work going when the waiting Task is cancelled", .rule("4.0", "4.7"),
    arguments: Consumer.allCases, [false, true])
  func otherConsumers(_ consumer: Consumer, isCancelledBefore: Bool) {
    let kept = consumer.attach(to: work.promise, on: context, awaiting: executor)
    let log = cancelled(work.promise, isCancelledBefore: isCancelledBefore)
    #expect(log.entries == [.rejected(.cancellation)] && work.goesOn)
    work.deferred.fulfill(1)
    context.runUntilIdle()
    executor.runUntilIdle()
    withExtendedLifetime(kept) {}
  }

  /// When a Task is cancelled whose promise is settled.
  enum Moment: CaseIterable { case never, beforeItStarts, afterTheOutcome }

  @Test(
    "A Task receives the outcome of a settled promise, even if it is cancelled", .rule("4.7"),
    arguments: Moment.allCases, Settlement.allCases)
  func outcome(_ moment: Moment, _ settlement: Settlement) {
    if moment != .afterTheOutcome { work.deferred.settle(settlement.result) }
    let waiting = owning(work.promise)
    if moment == .beforeItStarts { waiting.task.cancel() }
    executor.runUntilIdle()
    if moment == .afterTheOutcome {
      work.deferred.settle(settlement.result)
      executor.runUntilIdle()
      waiting.task.cancel()
    }
    #expect(waiting.log.entries == [settlement.seen] && work.reasons.isEmpty)
  }
}
