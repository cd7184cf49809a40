/// The path from an observed promise up to the promises that it waits for, with the posts at which its watch is
/// registered.
///
/// A *post* is a step at which the progress can change. Belongs to one thread at a time, see `ProgressWatch`.
struct ProgressTrail {
  private struct Step {
    weak var promise: AnyPromise?
    let scale: ProgressScale
    /// Whether the watch is registered at the promise.
    var isPost = false
    /// The promise that the post had adopted when the path was built. The owner of the post may have followed another
    /// since.
    var adopted: ObjectIdentifier?

    /// Whether the promise is settled or collapsed, so that its progress does not change any more.
    var isOver: Bool { promise.map { !$0.acquiredState.isPending } ?? true }

    var leadsElsewhere: Bool {
      guard let adopted, case .adopts(let current, _)? = promise?.progressEdge else { return false }
      return ObjectIdentifier(current) != adopted
    }
  }

  /// The steps from the observed promise upward. Steps in between may be missing, and are found again when those above
  /// them are over.
  private var steps: [Step] = []
  /// The indices of the steps that are posts, in order.
  private var posts: [Int] = []
  #if DEBUG
    /// The number of posts that were looked at, for a test.
    private(set) var countLooked = 0
  #endif

  /// Returns the minimum number of steps to remember of a walk of the given length.
  ///
  /// Remembering all steps would take memory for every observer at the end of a long chain. Remembering a fixed number
  /// would take time, because the path is walked again when they are used up. A fixed fraction balances the two.
  private static func mostRemembered(of length: Int) -> Int { max(64, length / 16) }

  /// Updates the trail, and returns the progress of the promise.
  mutating func update(from promise: AnyPromise, for watch: ProgressWatch) -> Double {
    while promise.acquiredState.isPending {
      if let cut = firstPost(where: \.isOver) { shorten(to: cut, for: watch) }
      if let turn = firstPost(where: \.leadsElsewhere) { shorten(to: turn + 1, for: watch) }
      while let last = steps.last, last.isOver { shorten(to: steps.count - 1, for: watch) }
      if steps.isEmpty { steps = [Step(promise: promise, scale: ProgressScale(whole: promise.weight))] }
      if let value = climb(for: watch) { return posts.reduce(value) { max($0, shownValue(at: $1)) } }
    }
    unregister(watch)
    return 0
  }

  private mutating func firstPost(where test: (Step) -> Bool) -> Int? {
    let place = posts.firstIndex { test(steps[$0]) }
    #if DEBUG
      countLooked += place.map { $0 + 1 } ?? posts.count
    #endif
    return place.map { posts[$0] }
  }

  /// Removes the watch from all posts, because it is not needed any more.
  mutating func unregister(_ watch: ProgressWatch) { shorten(to: 0, for: watch) }

  /// Returns what the shown progress of a post contributes to the observed promise. The observed promise itself counts
  /// 0, because it shows its progress already.
  private func shownValue(at post: Int) -> Double {
    guard post > 0, let promise = steps[post].promise else { return 0 }
    return steps[post].scale.value(at: promise.weight * promise.shownProgress)
  }

  private mutating func shorten(to count: Int, for watch: ProgressWatch) {
    while let post = posts.last, post >= count {
      if let promise = steps[post].promise { _ = promise.locked { promise.side?.progress.remove(watch) } }
      posts.removeLast()
    }
    steps.removeSubrange(count...)
  }

  // MARK: Upward

  /// Walks up from the last step, and registers the watch at the promises where the progress can change. Returns the
  /// progress of the observed promise that follows from the last promise of the walk. Returns `nil` if a promise was
  /// over before the watch was registered there.
  private mutating func climb(for watch: ProgressWatch) -> Double? {
    guard var promise = steps.last?.promise, var scale = steps.last?.scale else { return nil }
    // The walked promises are retained during the walk. Only the remembered steps get a weak reference.
    var walked: [(promise: AnyPromise, scale: ProgressScale)] = []
    var length = 0
    while true {
      // Stops at a promise with a watch, except at the observed promise, whose watch this is.
      if length > 0 || steps.count > 1, promise.isProgressWatched {
        if !walked.isEmpty || !steps[steps.count - 1].isPost {
          guard registerPost(watch, at: promise, after: &walked) else { return nil }
        }
        return scale.value(at: promise.weight * promise.shownProgress)
      }
      let edge = promise.progressEdge
      let isPost = walked.isEmpty && steps[steps.count - 1].isPost
      // A time limit may settle its promise before the source, while what is below goes on.
      if case .waits(let source) = edge, isPost || promise.operation != .timeout {
        promise = source
      } else {
        // Registers first and then reads the edge again. A thread that changes the edge changes it first and then looks
        // for watches, so one of the two threads sees the other.
        if !isPost {
          guard registerPost(watch, at: promise, after: &walked) else { return nil }
          continue
        }
        guard case .adopts(let adopted, let shares) = edge else {
          if case .independent(let amount) = edge { return scale.value(at: amount) }
          return nil
        }
        scale = scale.entering(shares.amount, share: shares.share, weight: adopted.weight)
        steps[steps.count - 1].adopted = ObjectIdentifier(adopted)
        // The adopted promise is settled, and its outcome is about to be passed to the last post.
        if adopted.acquiredState.isDone { return scale.value(at: adopted.doneAmount) }
        promise = adopted
      }
      walked.append((promise, scale))
      length += 1
      let most = Self.mostRemembered(of: length)
      if walked.count >= 2 * most { walked.removeFirst(walked.count - most) }
    }
  }

  /// Remembers the walked steps, and registers the watch at the last. Returns `false` if that promise is over.
  private mutating func registerPost(
    _ watch: ProgressWatch, at promise: AnyPromise, after walked: inout [(promise: AnyPromise, scale: ProgressScale)]
  ) -> Bool {
    for step in walked { steps.append(Step(promise: step.promise, scale: step.scale)) }
    walked = []
    steps[steps.count - 1].isPost = true
    posts.append(steps.count - 1)
    return promise.withState { state in
      if state.isPending { promise.sideTable.progress.add(watch) }
      return state.isPending
    }
  }
}
