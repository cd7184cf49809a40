// The progress of a result is computed from that of its inputs (rule 5.4).
//
// It is *watched* from the time when a client first asks for it. Then each input is observed by a sink that does
// nothing. So the watch of the input keeps the recorded progress of the input up to date, and reports changes to the
// watch of the result. Reports are requests that are worked off in a loop.

extension Combination {
  /// How the progress of the result is computed from that of the inputs.
  package enum Measure: Sendable {
    /// The progress stays 0 until the result is settled.
    case none
    case mean
    /// The mean, where a settled input counts as 1, even if it is rejected.
    case meanOfSettled
    case maximum
  }

  /// The progress of the result. It is watched from now on.
  final var progress: Double {
    watchProgress()
    return measuredProgress
  }

  /// The progress of the result, computed from what the inputs have recorded.
  fileprivate final var measuredProgress: Double {
    guard measure != .none else { return 0 }
    var (sum, most) = (0.0, 0.0)
    for input in inputs {
      let input = input.resolved
      let isDone = input.acquiredState.isDone
      // Rounded, the amount may be more than the weight.
      let value =
        !isDone ? input.shownProgress : measure == .meanOfSettled ? 1 : min(1, input.doneAmount / input.weight)
      sum += value
      most = max(most, value)
    }
    return measure == .maximum ? most : sum / Double(inputs.count)
  }

  /// Watches the progress from now on. Begins with all combinations further up, because each watch needs what those
  /// above it have recorded.
  final func watchProgress() {
    guard measure != .none, !isProgressWatched else { return }
    let survey = ProgressSurvey(of: result)
    for promise in survey.visitedInOrder {
      if let combination = promise.combination {
        combination.beginWatching()
      } else if survey.isJoint(promise) {
        promise.watchProgress()
      }
    }
  }

  private func beginWatching() {
    guard let watch = makeProgressWatch() else { return }
    watch.register(at: inputs)
    // The thread that settled the result may have taken the watch out before it was registered.
    if hasEnded { watch.unregister(from: inputs) }
    ProgressWatch.wake([watch])
  }
}

/// The watch of a combination's result, which is registered at the inputs.
///
/// `@unchecked Sendable`: like its superclass. Its own fields are constant, and the runtime guards the weak one.
final class CombinationWatch: ProgressWatch, @unchecked Sendable {
  private weak let combination: Combination?
  /// Makes the inputs record their progress.
  private let sink = ProgressSink()

  init(of result: AnyPromise, in combination: Combination) {
    self.combination = combination
    super.init(of: result)
  }

  /// Registers the watch at the inputs. It is registered after all inputs have begun to record their progress.
  /// Otherwise it would look at all inputs again for each of them.
  fileprivate func register(at inputs: [AnyPromise]) {
    for input in inputs where input.isPending { input.observeProgress(by: sink) }
    for input in inputs where input.isPending {
      let input = input.resolved
      input.withState { state in if state.isPending { input.sideTable.progress.add(self) } }
    }
  }

  /// Removes the watch from these inputs.
  func unregister(from inputs: [AnyPromise]) {
    for input in inputs where input.isPending {
      input.ignoreProgress(by: sink)
      let input = input.resolved
      _ = input.locked { input.side?.progress.remove(self) }
    }
  }

  override var looksAtMany: Bool { true }

  override func computeProgress(of promise: AnyPromise) -> Double { combination?.measuredProgress ?? 0 }
}

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
    if let combination, combination.measure == .none || combination.isProgressWatched { return }
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
