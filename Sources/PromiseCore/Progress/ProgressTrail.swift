import Synchronization

/// The way from an observed promise up to what it waits for, and the posts on it, where the watch is registered.
///
/// Belongs to one thread at a time, see `ProgressWatch`.
struct ProgressTrail {
  private struct Step {
    weak var promise: AnyPromise?
    let scale: ProgressScale
    /// Kept, so that the watch can leave also when the promise has gone.
    var post: SideTable?
    /// What the post had adopted when the way led on from there: an owner may follow another since.
    var adopted: ObjectIdentifier?

    /// Nothing will come from there any more: it is settled, or was collapsed.
    var isOver: Bool { promise?.isProgressOverOrForwarded ?? true }

    var leadsElsewhere: Bool {
      guard let adopted, case .adopts(let current, _, _)? = promise?.progressEdge else { return false }
      return ObjectIdentifier(current) != adopted
    }
  }

  /// From the observed promise upward. Some may be missing between: they are found again when those above are over.
  private var steps: [Step] = []
  /// The indices of the steps that are posts, in order.
  private var posts: [Int] = []

  /// How many steps of a walk are remembered, at least. If it were all, to observe the end of a long chain would cost
  /// memory; if it were a few, time, for the way is walked again when they are used up. With a fixed part of the way
  /// both grow with its length.
  private static func mostRemembered(of length: Int) -> Int { max(64, length / 16) }

  /// Brings the trail up to date, and computes the progress of the promise.
  mutating func follow(from promise: AnyPromise, for watch: ProgressWatch) -> Double {
    while !promise.isProgressOverOrForwarded {
      if let cut = posts.first(where: { steps[$0].isOver }) { shorten(to: cut, for: watch) }
      if let turn = posts.first(where: { steps[$0].leadsElsewhere }) { shorten(to: turn + 1, for: watch) }
      while let last = steps.last, last.isOver { shorten(to: steps.count - 1, for: watch) }
      if steps.isEmpty { steps = [Step(promise: promise, scale: ProgressScale(whole: promise.weight))] }
      if let value = climb(for: watch) { return posts.reduce(value) { max($0, shownValue(at: $1)) } }
    }
    leave(watch)
    return 0
  }

  /// The watch is not needed any more.
  mutating func leave(_ watch: ProgressWatch) { shorten(to: 0, for: watch) }

  /// What the post is known to contribute. The observed promise shows its own already.
  private func shownValue(at post: Int) -> Double {
    guard post > 0, let promise = steps[post].promise else { return 0 }
    return steps[post].scale.value(at: promise.weight * promise.shownProgress)
  }

  private mutating func shorten(to count: Int, for watch: ProgressWatch) {
    while let post = posts.last, post >= count {
      _ = steps[post].post?.locked { $0.progress.remove(watch) }
      posts.removeLast()
    }
    steps.removeSubrange(count...)
  }

  // MARK: Upward

  /// Goes up from the last step, and makes posts of the promises where something can change. Returns what is done below
  /// the last; `nil`: one of them was over before the watch was registered there.
  private mutating func climb(for watch: ProgressWatch) -> Double? {
    guard var promise = steps.last?.promise, var scale = steps.last?.scale else { return nil }
    // Held while we walk. Only what is remembered is worth a weak reference.
    var walked: [(promise: AnyPromise, scale: ProgressScale)] = []
    var length = 0
    while true {
      // Not for the observed promise, whose watch this is.
      if length > 0 || steps.count > 1, promise.isProgressWatched {
        if !walked.isEmpty || steps[steps.count - 1].post == nil {
          guard station(watch, at: promise, after: &walked) else { return nil }
        }
        return scale.value(at: promise.weight * promise.shownProgress)
      }
      let edge = promise.progressEdge
      if case .waits(let source) = edge {
        promise = source
      } else {
        // Registered first, and then looked at again: who changes the edge changes it first, and then looks who is registered.
        if !walked.isEmpty || steps[steps.count - 1].post == nil {
          guard station(watch, at: promise, after: &walked) else { return nil }
          continue
        }
        guard case .adopts(let adopted, let amount, let share) = edge else {
          if case .stands(let amount, _) = edge { return scale.value(at: amount) }
          return nil
        }
        scale = scale.entering(amount, share: share, weight: adopted.weight)
        steps[steps.count - 1].adopted = ObjectIdentifier(adopted)
        // Settled, and its outcome on its way to the last post.
        if adopted.isProgressOver { return scale.value(at: adopted.doneAmount) }
        promise = adopted
      }
      walked.append((promise, scale))
      length += 1
      let most = Self.mostRemembered(of: length)
      if walked.count >= 2 * most { walked.removeFirst(walked.count - most) }
    }
  }

  /// Remembers the steps that were walked, and registers the watch at the last. `false`: it is over.
  private mutating func station(
    _ watch: ProgressWatch, at promise: AnyPromise, after walked: inout [(promise: AnyPromise, scale: ProgressScale)]
  ) -> Bool {
    for step in walked { steps.append(Step(promise: step.promise, scale: step.scale)) }
    walked = []
    let table = promise.side.getOrCreateTable()
    table.locked { $0.progress.add(watch) }
    steps[steps.count - 1].post = table
    posts.append(steps.count - 1)
    return !promise.isProgressOverOrForwarded
  }
}

extension AnyPromise {
  /// Nothing will come from this promise any more. Read after something was registered, see `isProgressOver`.
  fileprivate final var isProgressOverOrForwarded: Bool { !cellInOrder.isOpen }
}
