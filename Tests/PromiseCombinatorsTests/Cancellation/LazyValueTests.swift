import PromiseCombinators
import TestSupport
import Testing

@Suite("Waiting for the value of a lazy promise", .leavingNothing)
struct LazyValueTests {
  private let executor = ManualExecutor()
  private let context = ManualContext()
  private let work = StoppableWork()

  private func adopting() -> LazyPromise<Int> {
    LazyPromise.adopting(on: context) { [work, context] in work.promise.map(on: context) { $0 } }
  }

  @Test(
    "A cancelled Task that waits for a lazy promise gives it up only if cancelsSource is true", .rule("4.7"),
    arguments: [false, true], [false, true])
  func cancelled(cancelsSource: Bool, isStarted: Bool) async {
    let lazy = adopting()
    if isStarted { lazy.start() }
    let task = Task(executorPreference: executor) {
      try await (cancelsSource ? lazy.value(cancelsSource: true) : lazy.value)
    }
    executor.runUntilIdle()
    context.runUntilIdle()
    #expect(lazy.isStarted && work.goesOn)
    task.cancel()
    executor.runUntilIdle()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(cancelsSource ? work.isStopped && lazy.isCancelled : work.goesOn && lazy.isPending)
    work.deferred.fulfill(3)
    context.runUntilIdle()
    #expect(lazy.promise.values == (cancelsSource ? nil : 3))
  }

  @Test("A lazy promise that another consumer wants goes on when a waiting Task is cancelled", .rule("4.0", "4.7"))
  func shared() {
    let lazy = adopting()
    let other = lazy.promise.map(on: context) { $0 }
    let task = Task(executorPreference: executor) { _ = try? await lazy.value(cancelsSource: true) }
    executor.runUntilIdle()
    context.runUntilIdle()
    task.cancel()
    executor.runUntilIdle()
    #expect(lazy.isPending && other.isPending && work.goesOn)
  }
}
