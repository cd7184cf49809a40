import PromiseCombinators

/// Cancellations of trees with 156 promises, whose root is an owner or a Task. The duration is that from the
/// cancellation to the finish of the root.
final class CancellationLoad: Load {
  let name = "trees"
  let tally = Tally()
  let rate: Double

  init(_ surroundings: Surroundings) { rate = 20 * surroundings.scale }

  func proceed(_ count: Int) {
    for _ in 0..<count {
      tally.begin()
      let number = tally.counts.begun
      let owner = Deferred<Int>()
      // A Task that is cancelled before it begins does not read the value.
      owner.promise.onRejected { _ in }
      if number % 2 == 0 {
        cancelTree(under: owner.promise, number)
      } else {
        // A `Task.sleep` would do, but the runtime keeps some memory of a cancelled one until its time has come.
        cancelTree(under: Promise.task { try await owner.promise.value(cancelsSource: true) }, number)
      }
      withExtendedLifetime(owner) {}
    }
  }

  private func cancelTree(under root: Promise<Int>, _ number: Int) {
    var leaves = [root]
    for _ in 0..<3 {
      leaves = leaves.flatMap { leaf in (0..<5).map { part in leaf.map { $0 + part } } }
    }
    let start = ContinuousClock.now
    if number % 4 < 2 {
      root.cancel(upstream: true)
    } else {
      // The last leaf gives up what no other consumer wants.
      for leaf in leaves { leaf.cancel(upstream: true) }
    }
    let states = leaves
    root.whenFinished().onSettled { [tally] _ in
      let isWhole = root.isCancelled && states.allSatisfy(\.isCancelled)
      tally.end(since: start, failure: isWhole ? nil : "a part of the tree is not cancelled")
    }
  }

  func stop() -> Promise<Void> { .fulfilled() }
}
