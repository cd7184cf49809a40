/// Lists the promises for which the result of a combination waits, up to those whose progress is watched already. Made
/// when a client first asks for the progress of the result.
///
/// A *joint* is a promise that can be reached on several paths. A watch is wanted there, so that the watches below need
/// not look beyond it. So ten thousand inputs that all depend on one chain walk up that chain once.
///
/// The survey is a loop, and visits each promise once.
struct ProgressSurvey {
  private enum Step {
    case enter(AnyPromise)
    /// Everything for which the promise waits has been visited.
    case exit(AnyPromise)
  }

  private var steps: [Step] = []
  /// The number of `enter` steps.
  private var pendingEnters = 0
  private var visited: Set<ObjectIdentifier> = []
  /// Promises that were reached more than once.
  private var joints: Set<ObjectIdentifier> = []
  /// The results of combinations, and the promises that may be joints. Each comes after everything for which it waits.
  private(set) var visitedInOrder: [AnyPromise] = []

  /// - Complexity: O(*n*), where *n* is the number of promises that are visited.
  init(of result: AnyPromise) {
    // Usually this is enough.
    steps.reserveCapacity(4)
    enterLater(result)
    while let step = steps.popLast() {
      switch step {
      case .exit(let promise): visitedInOrder.append(promise)
      case .enter(let promise):
        pendingEnters -= 1
        visit(promise)
      }
    }
  }

  /// Whether the promise is a joint.
  func isJoint(_ promise: AnyPromise) -> Bool { joints.contains(ObjectIdentifier(promise)) }

  private mutating func enterLater(_ promise: AnyPromise) {
    steps.append(.enter(promise))
    pendingEnters += 1
  }

  private mutating func visit(_ promise: AnyPromise) {
    // A ring that is being broken contains a settled promise, so the walk ends there.
    if promise.acquiredState.isDone || promise.isProgressWatched { return }
    let combination = promise.combination
    if let combination, combination.isProgressWatched { return }
    // A promise with an owner that follows nothing waits for nothing.
    if combination == nil, !promise.dependsOnOthers, !promise.acquiredState.isForwarded { return }
    // Needed only where paths diverge and may meet again.
    let mayMeet = pendingEnters > 0 || !visited.isEmpty
    if mayMeet, !visited.insert(ObjectIdentifier(promise)).inserted {
      joints.insert(ObjectIdentifier(promise))
      return
    }
    if mayMeet || combination != nil { steps.append(.exit(promise)) }
    var awaited: [AnyPromise] = []
    promise.appendAwaited(to: &awaited)
    for promise in awaited { enterLater(promise) }
  }
}
