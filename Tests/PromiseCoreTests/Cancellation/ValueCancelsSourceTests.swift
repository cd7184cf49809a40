import PromiseCore
import TestSupport
import Testing

@Suite("Tasks that wait with cancelsSource", .leavingNothing)
struct ValueCancelsSourceTests {
  private let context = ManualContext()
  private let executor = ManualExecutor()
  private let work = StoppableWork()

  /// Starts a Task that gives the promise up when it is cancelled.
  private func owning(_ promise: Promise<Int>) -> Waiting<Int> {
    Waiting(for: promise, cancelsSource: true, on: executor)
  }

  /// Starts a Task that waits, and cancels it before it starts or while it waits. Returns its result.
  private func cancelled(_ promise: Promise<Int>, isCancelledBefore: Bool) -> [Seen<Int>] {
    let waiting = owning(promise)
    if !isCancelledBefore { executor.runUntilIdle() }
    waiting.task.cancel()
    executor.runUntilIdle()
    return waiting.seen
  }

  @Test(
    "A cancelled Task that waits with cancelsSource stops the work behind links", .rule("4.4", "4.7"), arguments: 0..<3,
    [false, true])
  func behindLinks(length: Int, isCancelledBefore: Bool) {
    let promise = (0..<length).reduce(work.promise) { promise, _ in promise.map(on: context) { $0 } }
    let seen = cancelled(promise, isCancelledBefore: isCancelledBefore)
    #expect(areCancelled([promise]) && work.isStopped && seen == [.rejected(.cancellation)])
  }

  @Test(
    "Any other consumer keeps the work going when the waiting Task is cancelled", .rule("4.0", "4.7"),
    arguments: Consumer.allCases, [false, true])
  func otherConsumers(_ consumer: Consumer, isCancelledBefore: Bool) {
    let kept = consumer.attach(to: work.promise, on: context, awaiting: executor)
    let seen = cancelled(work.promise, isCancelledBefore: isCancelledBefore)
    #expect(seen == [.rejected(.cancellation)] && work.goesOn)
    work.deferred.fulfill(1)
    context.runUntilIdle()
    executor.runUntilIdle()
    withExtendedLifetime(kept) {}
  }
}
