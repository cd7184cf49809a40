// The progress of a result follows from that of its inputs (rule 5.4).
//
// It is looked after only once somebody has asked for it. Then each input is observed by a sink that does nothing, so that its own watch keeps
// up to date what it shows, and tells ours of changes: by requests, which are worked off in a loop.

extension Combination {
  /// What the inputs' progress makes.
  package enum Measure: Sendable {
    /// Nothing, until it is settled.
    case none
    case mean
    /// The mean, where an input that is settled counts 1, rejected or not.
    case meanOfSettled
    case maximum
  }

  /// How far the result has come.
  final var progress: Double {
    watchProgress()
    return measuredProgress
  }

  /// The same for who will not ask again, as the result is being rejected: nothing is looked after from now on. It is about
  /// to leave its inputs, all of them, so all of them are looked at.
  final var lastProgress: Double { isProgressWatched ? measuredProgress : measured { $0.lastProgress } }

  /// The same for one that is rejected below the result, and does not touch the inputs.
  ///
  /// - Parameter limit: how many more promises to look at, at most, inputs among them; the value is too low if there are more.
  final func lastProgress(limit: inout Int) -> Double {
    // Of what is looked after the result shows all, but for what is being reported at this moment.
    isProgressWatched
      ? measured(limit: &limit) { input, limit in
        limit -= 1
        return input.shownProgress
      } : measured(limit: &limit) { $0.lastProgress(limit: &$1) }
  }

  /// As far as it is shown by the inputs.
  fileprivate final var measuredProgress: Double { measured { $0.shownProgress } }

  private func measured(by pending: (AnyPromise) -> Double) -> Double {
    var limit = Int.max
    return measured(limit: &limit) { input, _ in pending(input) }
  }

  /// - Parameter pending: how far an input is that is pending. Takes from the limit itself.
  private func measured(limit: inout Int, by pending: (AnyPromise, inout Int) -> Double) -> Double {
    guard measure != .none else { return 0 }
    var (sum, most) = (0.0, 0.0)
    for input in inputs {
      if limit <= 0 { break }
      let input = input.resolved
      let value: Double
      if input.isProgressOver {
        limit -= 1
        value = measure == .meanOfSettled ? 1 : input.doneAmount / input.weight
      } else {
        value = pending(input, &limit)
      }
      sum += value
      most = max(most, value)
    }
    return measure == .maximum ? most : sum / Double(inputs.count)
  }

  /// Looks after the progress from now on; and that of all combinations further up, before: each needs what those show.
  final func watchProgress() {
    guard measure != .none, !isProgressWatched else { return }
    let survey = ProgressSurvey(of: result)
    for promise in survey.left {
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
    // Who has settled the result may have taken the watch out too early.
    if hasEnded { watch.leave(inputs) }
    ProgressWatch.wake([watch])
  }
}

/// The watch of a combination's result, registered at the inputs.
///
/// `@unchecked Sendable`: as its superclass; its own fields are constant, and the runtime guards the weak one.
final class CombinationWatch: ProgressWatch, @unchecked Sendable {
  private weak let combination: Combination?
  /// Forces the inputs to show what they have done.
  private let sink = ProgressSink()

  init(of result: AnyPromise, in combination: Combination) {
    self.combination = combination
    super.init(of: result)
  }

  /// Told of nothing before all inputs show what they have done: else it would look at all of them for each.
  fileprivate func register(at inputs: [AnyPromise]) {
    for input in inputs where input.isPending { input.observeProgress(by: sink) }
    for input in inputs where input.isPending {
      input.resolved.side.getOrCreateTable().locked { $0.progress.add(self) }
    }
  }

  /// Not needed at these any more.
  func leave(_ inputs: [AnyPromise]) {
    for input in inputs where input.isPending {
      input.ignoreProgress(by: sink)
      _ = input.resolved.side.table?.locked { $0.progress.remove(self) }
    }
  }

  override var looksAtMany: Bool { true }

  override func look(for promise: AnyPromise) -> Double { combination?.measuredProgress ?? 0 }
}
