extension AnyPromise {
  /// The progress of the work behind this promise, from 0 to 1. It never falls (rule 5.1).
  ///
  /// - The promise of an owner shows the value that was reported by ``Deferred/report(progress:)``. If it follows
  ///   another promise, it shows that promise's progress if that is higher. If it follows several, the newest counts.
  /// - A derived promise shows the share of the whole chain that is done. The share of each link is its weight, and
  ///   that of the owner's promise is 1 (rule 5.4).
  /// - A fulfilled promise shows 1. A rejected promise keeps the progress that was last reported to its owner, delivered
  ///   to an observer of it, or read from it, or shows more (rule 5.2).
  ///
  /// May be read from any thread. To observe changes, use ``Promise/onProgress(on:_:)``.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises that this promise waits for, and of inputs of
  ///   combinators among these. Each counts once, even if several paths lead to it. The first read of a derived
  ///   promise's progress makes a side table, which stores the value.
  public final var progress: Double {
    let promise = resolved
    let state = promise.acquiredState
    if state.isDone { return state.isRejected ? min(1, promise.doneAmount / promise.weight) : 1 }
    let traced = promise.tracedProgress
    if traced > promise.shownProgress { ProgressWatch.wake(promise.raiseProgress(to: traced)?.watches ?? []) }
    // Read last, because another thread may have raised the progress or settled the promise meanwhile.
    let shown = promise.shownProgress
    let last = promise.acquiredState
    return last.isDone && !last.isRejected ? 1 : shown
  }

  /// The progress of a pending promise, computed from all that it waits for. This is a loop, so a chain may be of any
  /// length.
  private final var tracedProgress: Double {
    var best = shownProgress
    var scale = ProgressScale(whole: weight)
    var promise = self
    while true {
      switch promise.unmeasuredProgressEdge {
      case .waits(let source): promise = source
      case .adopts(let adopted, let shares):
        scale = scale.entering(shares.amount, share: shares.share, weight: adopted.weight)
        promise = adopted
        best = max(best, scale.value(at: 0))
      case .independent(let amount): return max(best, scale.value(at: amount))
      case .combines(let combination): return max(best, scale.value(at: promise.weight * combination.progress))
      }
      // The promise is settled, and its outcome is about to be passed on.
      if promise.acquiredState.isDone { return max(best, scale.value(at: promise.doneAmount)) }
      best = max(best, scale.value(at: promise.weight * promise.shownProgress))
    }
  }

  /// Raises the progress of a pending promise to `value` and tells its observers. Returns the audience, whose watches
  /// the caller must wake. Returns `nil` if the progress was not lower or the promise is settled.
  final func raiseProgress(to value: Double) -> ProgressState.Audience? {
    let audience = withState { state in state.isPending ? sideTable.progress.raise(to: value) : nil }
    for sink in audience?.sinks ?? [] { sink.offer(value, isLast: false) }
    return audience
  }
}
