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
      let value = !isDone ? input.shownProgress : measure == .meanOfSettled ? 1 : input.doneAmount / input.weight
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
