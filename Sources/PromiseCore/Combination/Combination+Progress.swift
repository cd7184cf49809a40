// The progress of a result is computed from that of its inputs (rule 5.4).
//
// It is *watched* from the time when a client first asks for it. Then a sink at each input records what the input has
// done, and the watch of the result is woken. So a change at one of many inputs costs no more than at one of two.

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
    return watch?.progress ?? result.shownProgress
  }

  /// Watches the progress from now on. Begins with all combinations further up, because each watch needs what those
  /// above it have recorded.
  final func watchProgress() {
    guard !isProgressWatched else { return }
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
    let sinks = watch.makeSinks()
    watch.register(sinks, at: inputs)
    // The thread that settled the result may have taken the watch out before it was registered.
    if hasEnded { watch.unregister(sinks, from: inputs) }
    ProgressWatch.wake([watch])
  }
}

/// The watch of a combination's result, which has a sink at each input.
///
/// It and the sinks retain each other until the combination ends.
///
/// `@unchecked Sendable`, because its variables are guarded by the lock.
final class CombinationWatch: ProgressWatch, @unchecked Sendable {
  private let measure: Combination.Measure
  private let lock = ShortLock()
  /// The progress of each input. Under the lock, like `total`.
  private var values: [Double]
  /// The sum of the values, or the highest.
  private var total = 0.0
  private var sinks: [InputSink] = []

  init(of result: AnyPromise, over count: Int, by measure: Combination.Measure) {
    self.measure = measure
    values = Array(repeating: 0, count: count)
    super.init(of: result)
  }

  /// The progress of the result.
  var progress: Double {
    // Rounded, the sum may be more than the number of inputs.
    lock.locked { measure == .maximum ? total : min(1, total / Double(values.count)) }
  }

  override var hasSeveralInputs: Bool { true }

  override func computeProgress(of promise: AnyPromise) -> Double { progress }

  fileprivate func makeSinks() -> [InputSink] {
    let sinks = values.indices.map { InputSink(of: $0, for: self) }
    lock.locked { self.sinks = sinks }
    return sinks
  }

  fileprivate func register(_ sinks: [InputSink], at inputs: [AnyPromise]) {
    for (input, sink) in zip(inputs, sinks) {
      input.observeProgress(by: sink)
      let input = input.resolved
      input.withState { state in if state.isPending { input.sideTable.progress.add(self) } }
    }
  }

  /// Removes the watch and its sinks from the inputs.
  func unregister(from inputs: [AnyPromise]) { unregister(lock.locked { sinks }, from: inputs) }

  fileprivate func unregister(_ sinks: [InputSink], from inputs: [AnyPromise]) {
    lock.locked { self.sinks = [] }
    for (input, sink) in zip(inputs, sinks) where input.isPending {
      input.ignoreProgress(by: sink)
      let input = input.resolved
      _ = input.locked { input.side?.progress.remove(self) }
    }
  }

  fileprivate func record(_ value: Double, of input: Int) {
    lock.locked {
      let old = values[input]
      guard value > old else { return }
      values[input] = value
      total = measure == .maximum ? max(total, value) : total + (value - old)
    }
  }

  fileprivate func recordEnd(of input: Int) { if measure == .meanOfSettled { record(1, of: input) } }
}

/// Records the progress of one input for the watch of the result.
///
/// `@unchecked Sendable`, because the fields are constant.
private final class InputSink: ProgressSink, @unchecked Sendable {
  private let input: Int
  private let watch: CombinationWatch

  init(of input: Int, for watch: CombinationWatch) {
    self.input = input
    self.watch = watch
  }

  override func offer(_ value: Double, isLast: Bool, of _: AnyPromise?) { watch.record(value, of: input) }

  override func end() { watch.recordEnd(of: input) }
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
