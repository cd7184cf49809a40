import PromiseCore
import TestSupport
import Testing

extension Stress {
  @Suite("Memory: many Tasks that wait and are cancelled")
  struct WaiterTests {
    let executor = ManualExecutor()

    @Test("Many cancelled waiters on one pending promise leave at most a small constant amount of memory", .rule("4.9"))
    func cancelledWaiters() {
      let deferred = Deferred<Int>()
      expectGrowth(below: Effort.boundOfMany) {
        for _ in 0..<Effort.many {
          let task = Task(executorPreference: executor) { [promise = deferred.promise] in _ = try? await promise.value }
          executor.runUntilIdle()
          task.cancel()
          executor.runUntilIdle()
        }
      }
      #expect(deferred.promise.isPending)
    }

    @Test(
      "Many waiters cancelled at once among waiters that stay leave at most a small constant amount of memory",
      .rule("4.9"))
    func cancelledAmongStaying() throws {
      let deferred = Deferred<Int>()
      let staying = (0..<100).map { _ in AwaitingTask(for: deferred.promise) }
      for waiter in staying { waiter.run() }
      expectGrowth(below: Effort.boundOfMany) {
        for _ in 0..<Effort.many / 1_000 {
          let tasks = (0..<1_000).map { _ in
            Task(executorPreference: executor) { [promise = deferred.promise] in _ = try? await promise.value }
          }
          executor.runUntilIdle()
          for task in tasks { task.cancel() }
          executor.runUntilIdle()
        }
      }
      deferred.fulfill(1)
      for waiter in staying { try #require(waiter.outcome() == 1) }
    }
  }
}
