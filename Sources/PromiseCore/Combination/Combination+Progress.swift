// The progress of a result is computed from that of its inputs (rule 5.4).
//
// From the time when a client first asks for it, a sink at each input records what the input has done, and the watch of
// the result looks again. So a change at one of many inputs costs no more than at one of two.

extension Combination {
  /// How the progress of the result is computed from that of the inputs.
  package enum Measure: Sendable {
    /// The progress stays 0 until the result is settled.
    case none
    /// The mean of as many inputs as the result needs, of those that have done most.
    case mean
    /// The same, where a settled input counts as 1, even if it is rejected.
    case meanOfSettled
  }
}

/// The watch of a combination's result, which has a sink at each input.
///
/// It and the sinks retain each other and the combination until the result is settled.
///
/// `@unchecked Sendable`, because the values are guarded by the lock, and the superclass guards `sinks`.
final class CombinationWatch: ProgressWatch, @unchecked Sendable {
  private let combination: Combination
  private let lock = ShortLock()
  /// The progress of each input. Under the lock, like `total` and `highest`.
  private var values: [Double]
  /// The sum of the values.
  private var total = 0.0
  /// As many of the highest values as the result needs, in ascending order. Empty if it needs all.
  private var highest: [Double]
  /// Empty before the first look, and after the end.
  private var sinks: [InputSink] = []

  init(of combination: Combination) {
    self.combination = combination
    let count = combination.inputs.count
    let countNeeded = combination.countNeeded
    values = Array(repeating: 0, count: count)
    highest = countNeeded < count ? Array(repeating: 0, count: countNeeded) : []
    super.init(of: combination.result)
  }

  override var hasSeveralInputs: Bool { true }

  override func computeProgress(of _: AnyPromise, waking others: inout [ProgressWatch]) -> Double {
    if sinks.isEmpty {
      sinks = values.indices.map { InputSink(of: $0, for: self) }
      for (input, sink) in zip(combination.inputs, sinks) { others += input.passProgress(to: sink) }
    }
    let mean = lock.locked {
      highest.isEmpty ? total / Double(values.count) : highest.reduce(0, +) / Double(highest.count)
    }
    // Rounded, a sum may be more than the number of values.
    return min(1, mean)
  }

  override func unregister() {
    for (input, sink) in zip(combination.inputs, sinks) where input.isPending { input.ignoreProgress(by: sink) }
    sinks = []
  }

  fileprivate func record(_ value: Double, of input: Int) {
    lock.locked {
      let old = values[input]
      guard value > old else { return }
      values[input] = value
      total += value - old
      if let lowest = highest.first, value > lowest {
        // The old value is among the highest, or the new one takes the place of the lowest.
        highest.remove(at: highest.firstIndex(of: old) ?? 0)
        highest.insert(value, at: highest.firstIndex { $0 > value } ?? highest.endIndex)
      }
    }
  }

  fileprivate func recordEnd(of input: Int) { if combination.measure == .meanOfSettled { record(1, of: input) } }
}

/// Records the progress of one input for the watch of the result.
///
/// `@unchecked Sendable`, because the fields are constant.
private final class InputSink: ProgressSink, @unchecked Sendable {
  private let input: Int
  private let combinationWatch: CombinationWatch

  init(of input: Int, for watch: CombinationWatch) {
    self.input = input
    combinationWatch = watch
  }

  override var watch: ProgressWatch? { combinationWatch }

  override func offer(_ value: Double, of _: AnyPromise, isSettled: Bool) { combinationWatch.record(value, of: input) }

  override func end() { combinationWatch.recordEnd(of: input) }
}
