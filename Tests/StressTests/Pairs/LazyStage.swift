import PromiseCombinators
import TestSupport

/// A lazy chain that has not been started, and the checks after a round of two operations on it.
final class LazyStage: Sendable {
  let context = ManualContext()
  let executor = ManualExecutor()
  private let census = Tracked.Census()
  private let runs: Runs
  private let made = Locked<[AnyPromise]>([])
  let chain: Held<LazyPromise<Int>>
  var lazy: LazyPromise<Int>? { chain.object }

  init() {
    runs = Runs(census)
    let handler = runs.handler
    chain = Held(
      LazyPromise.run(on: context) {
        handler()
        return 1
      })
  }

  func drop() { chain.drop() }
  func keep(_ promise: AnyPromise) { made.withLock { $0.append(promise) } }

  func conclude() throws {
    let cancelled = lazy?.isCancelled
    lazy?.start()
    while context.runUntilIdle() + executor.runUntilIdle() > 0 {}
    let all = made.withLock { $0 }
    try Violation.unless(runs.number <= 1, "it ran \(runs.number) times")
    try Violation.unless(cancelled == nil || lazy?.isCancelled == cancelled, "cancelled by a start")
    try Violation.unless(lazy?.isPending != true && all.allSatisfy { !$0.isPending }, "pending in the end")
    try Violation.unless(lazy?.isCancelled != false || runs.number == 1, "it never ran")
    made.withLock { $0 = [] }
    drop()
    try Violation.unless(census.living == 0, "the closure is left")
  }
}
