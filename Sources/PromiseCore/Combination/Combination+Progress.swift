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
    guard measure != .none else { return 0 }
    watchProgress()
    return measuredProgress
  }

  /// The same for who will not ask again, as the result is being rejected: nothing is looked after from now on.
  final var lastProgress: Double { lastProgress { $0.lastProgress } }

  /// The same for one that is rejected below the result.
  final func lastProgress(limit: inout Int) -> Double { lastProgress { $0.lastProgress(limit: &limit) } }

  private func lastProgress(by pending: (AnyPromise) -> Double) -> Double {
    guard measure != .none else { return 0 }
    return isProgressWatched ? measuredProgress : measured(by: pending)
  }

  /// As far as it is shown by the inputs.
  fileprivate final var measuredProgress: Double { measured { $0.shownProgress } }

  /// - Parameter pending: how far an input is that is pending.
  private func measured(by pending: (AnyPromise) -> Double) -> Double {
    let values = inputs.map { input -> Double in
      let input = input.resolved
      guard input.isProgressOver else { return pending(input) }
      return measure == .meanOfSettled ? 1 : input.doneAmount / input.weight
    }
    guard measure != .maximum else { return values.max() ?? 0 }
    return values.reduce(0, +) / Double(values.count)
  }

  /// Looks after the progress from now on; and that of all combinations further up, before: each needs what those show.
  private func watchProgress() {
    guard !isProgressWatched else { return }
    var found = [self]
    var seen: Set = [ObjectIdentifier(self)]
    var index = 0
    while index < found.count {
      for input in found[index].inputs {
        found += input.combinationsAbove.filter { seen.insert(ObjectIdentifier($0)).inserted && !$0.isProgressWatched }
      }
      index += 1
    }
    for combination in found.reversed() { combination.beginWatching() }
  }

  private func beginWatching() {
    guard let watch = makeProgressWatch() else { return }
    for input in inputs where input.isPending { watch.register(at: input) }
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

  fileprivate func register(at input: AnyPromise) {
    input.resolved.side.demandTable().locked { $0.progress.add(self) }
    input.observeProgress(by: sink)
  }

  /// Not needed at these any more.
  func leave(_ inputs: [AnyPromise]) {
    for input in inputs where input.isPending {
      input.ignoreProgress(by: sink)
      _ = input.resolved.side.table?.locked { $0.progress.remove(self) }
    }
  }

  override func look(for promise: AnyPromise) -> Double { combination?.measuredProgress ?? 0 }
}

extension AnyPromise {
  /// The combinations that this pending promise waits for, and none beyond them.
  fileprivate final var combinationsAbove: [Combination] {
    var found: [Combination] = []
    forEachAwaited { promise in
      // A ring that is being broken has been claimed somewhere.
      if promise.isProgressOver { return false }
      guard let combination = promise.combination else { return true }
      found.append(combination)
      return false
    }
    return found
  }
}
