import PromiseCore
import TestSupport
import Testing

@Suite("Await: promises that are cancelled when unobserved")
struct AwaitUnobservedTests {
  @Test(
    "A cancelled waiter that was the last client throws and runs the owner's cancellation hook", .rule("4.0", "4.7"))
  func lastClient() {
    let executor = ManualExecutor()
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
