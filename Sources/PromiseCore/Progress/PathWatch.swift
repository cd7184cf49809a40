/// The watch of a derived or following promise.
///
/// It follows the *path* from its promise up to the *end*. That is the first promise at which the progress can change,
/// or from which the way may lead elsewhere. The watch is registered only there. So a report at the top of a chain
/// reaches the observers at its end without visiting the links in between. If what the end shows depends on others, it
/// gets a watch of its own.
///
/// A path has a limited length, its *reach*. If the chain is longer, the next path reaches four times as far. So the
/// observers of ten thousand branches share the way above, and a long chain has few ends.
///
/// `@unchecked Sendable`, because the superclass is.
final class PathWatch: ProgressWatch, @unchecked Sendable {
  private struct Step {
    weak var promise: AnyPromise?

    /// Whether the promise is settled or collapsed.
    var isOver: Bool { promise.map { !$0.acquiredState.isPending } ?? true }
  }

  static let leastReach = 8

  private let reach: Int
  // Safe, because one thread at a time works on a watch.
  /// The promise for which the watched promise waits.
  @safe @exclusivity(unchecked) private var start = Step()
  /// Some of the promises between the start and the end, from the start upward. If the end is settled, the next is
  /// found from the last of them.
  @safe @exclusivity(unchecked) private var steps: [Step] = []
  /// Where the watch is registered.
  @safe @exclusivity(unchecked) private var end = Step()

  init(of promise: AnyPromise, reach: Int) {
    self.reach = reach
    super.init(of: promise)
  }

  override func computeProgress(of promise: AnyPromise, waking others: inout [ProgressWatch]) -> Double {
    while true {
      var scale = ProgressScale(whole: promise.weight)
      let first: AnyPromise
      switch promise.progressEdge {
      case .independent(let amount):
        unregister()
        return scale.value(at: amount)
      case .waits(let source): first = source
      case .adopts(let adopted, let shares):
        scale = scale.entering(shares, weight: adopted.weight)
        first = adopted
      }
      if first !== start.promise {
        unregister()
        start.promise = first
      }
      if let amount = followPath(waking: &others) { return scale.value(at: amount) }
      // Settled, and its outcome is about to be passed on.
      if first.acquiredState.isDone { return scale.value(at: first.doneAmount) }
    }
  }

  override func unregister() {
    if let end = end.promise { _ = end.locked { end.side?.progress.remove(self) } }
    start = Step()
    steps = []
    end = Step()
  }

  /// Returns the amount of the end of the path, after finding the end if necessary. Returns `nil` if a promise was
  /// settled or collapsed before the watch was registered there.
  private func followPath(waking others: inout [ProgressWatch]) -> Double? {
    if let end = end.promise, end.acquiredState.isPending { return end.endAmount }
    while let last = steps.last, last.isOver { steps.removeLast() }
    // Retained during the walk. The steps are weak.
    var walked: [AnyPromise] = []
    walked.reserveCapacity(Self.leastReach)
    guard var promise = steps.popLast()?.promise ?? start.promise else { return nil }
    while walked.count < reach, let source = promise.sourceOnPath {
      walked.append(promise)
      promise = source
    }
    remember(walked)
    // Registers first, and then reads what the promise waits for. A thread that makes it wait for another promise does
    // so first, and then looks for watches. So one of the two threads sees the other.
    let isRegistered = promise.withState { state in
      if state.isPending { promise.sideTable.progress.add(self) }
      return state.isPending
    }
    guard isRegistered else { return nil }
    end.promise = promise
    let isLongChain = walked.count == reach
    if let watch = promise.makeProgressWatch(reach: isLongChain ? 4 * reach : Self.leastReach) { others.append(watch) }
    return promise.endAmount
  }

  /// Remembers the walked promises at distances of 16, 32, 64 and so on from the end. So the number of visits to each
  /// promise while a chain is settled from its top, and the memory, grow only with the logarithm of its length.
  private func remember(_ walked: [AnyPromise]) {
    var remembered: [Step] = []
    var distance = 16
    while distance <= walked.count {
      remembered.append(Step(promise: walked[walked.count - distance]))
      distance *= 2
    }
    steps += remembered.reversed()
  }
}

extension AnyPromise {
  /// The promise for which this promise waits, if a path may go on there.
  fileprivate final var sourceOnPath: AnyPromise? {
    // A time limit may settle its promise before the source, while what is below goes on.
    guard case .waits(let source) = progressEdge, operation != .timeout else { return nil }
    return locked { side?.progress.watch } == nil ? source : nil
  }

  /// The amount of this promise at the end of a path.
  fileprivate final var endAmount: Double {
    let shown = weight * shownProgress
    guard case .independent(let amount) = progressEdge else { return shown }
    return max(shown, amount)
  }
}
