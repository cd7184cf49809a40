import PromiseCombinators
import TestSupport

/// A lazy chain that has not been started, and the checks after a round of two operations on it.
final class LazyStage: Sendable {
  let context = ManualContext()
  let executor = ManualExecutor()
  private let census = Tracked.Census()
  private let runs: Runs
  private let made = Locked<[AnyPromise]>([])
  /// The promises of clients that do not give up.
  private let clients = Locked<[AnyPromise]>([])
  /// The number of clients that have given up. The next client may start the work anew.
  private let lostClients = Locked(0)
  private let isCancelledByName = Locked(false)
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

  func keepClient(_ promise: AnyPromise) {
    keep(promise)
    clients.withLock { $0.append(promise) }
  }

  func giveUp(_ promise: AnyPromise) {
    _ = lostClients.increment()
    promise.cancel()
  }

  func cancel(_ lazy: LazyPromise<Int>) {
    isCancelledByName.withLock { $0 = true }
    lazy.cancel()
  }

  func conclude() throws {
    let cancelled = lazy?.isCancelled
    lazy?.start()
    while context.runUntilIdle() + executor.runUntilIdle() > 0 {}
    let all = made.withLock { $0 }
    let mostRuns = 1 + lostClients.withLock { $0 }
    try Violation.unless(runs.number <= mostRuns, "it ran \(runs.number) times")
    let isClientLost = clients.withLock { $0.contains(where: \.isCancelled) }
    try Violation.unless(isCancelledByName.withLock { $0 } || !isClientLost, "cancelled by another client")
    try Violation.unless(cancelled == nil || lazy?.isCancelled == cancelled, "cancelled by a start")
    try Violation.unless(lazy?.isPending != true && all.allSatisfy { !$0.isPending }, "pending in the end")
    try Violation.unlessFinished(all)
    try Violation.unless(lazy?.isCancelled != false || runs.number > 0, "it never ran")
    made.withLock { $0 = [] }
    clients.withLock { $0 = [] }
    drop()
    try Violation.unless(census.living == 0, "the closure is left")
  }
}
