extension AnyPromise {
  /// The progress of the work behind this promise, from 0 to 1. It never falls (rule 5.1).
  ///
  /// - The promise of an owner shows the value that was reported by ``Deferred/report(progress:)``. If it follows
  ///   another promise, it shows that promise's progress if that is higher. If it follows several, the newest counts.
  /// - A derived promise shows the share of the whole chain that is done. The share of each link is its weight, and
  ///   that of the owner's promise is 1 (rule 5.4).
  /// - A fulfilled promise shows 1. A rejected promise keeps its progress (rule 5.2). There is one exception, for a
  ///   promise that is cancelled, timed out or rejected by its owner while more than 32 promises are above it. If its
  ///   progress was never read or observed, it forgets the progress of the promises beyond these 32. The promises above
  ///   it are the pending links, and the inputs of combinators among them. If the result of a combinator is cancelled
  ///   itself, all its inputs are read, and the limit applies to each input separately.
  ///
  /// May be read from any thread. To observe changes, use ``Promise/onProgress(on:_:)``.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises that this promise waits for, and of inputs of
  ///   combinators among these. Each counts once, even if several paths lead to it. The first read of a derived
  ///   promise's progress makes a side table, which stores the value.
  public final var progress: Double {
    let promise = resolved
    if promise.isClaimedInOrder { return promise.finalProgress }
    let traced = promise.tracedProgress()
    if traced > promise.shownProgress { ProgressWatch.wake(promise.raiseProgress(to: traced)?.watches ?? []) }
    // Read last, because another thread may have raised the progress or settled the promise meanwhile.
    return promise.isClaimedInOrder ? promise.finalProgress : max(traced, promise.shownProgress)
  }

  /// The progress of a promise that is settled or claimed.
  private final var finalProgress: Double {
    guard relaxedState.isRejected else { return 1 }
    // No progress is stored if it was 0, or if another thread has just claimed the rejection. In the second case, this
    // computes the same value as that thread.
    let traced = isProgressEnded ? 0 : lastProgress
    return max(traced, doneAmount / weight)
  }

  /// Computes the progress of a pending promise from all that it waits for. This is a loop, so a chain may be of any
  /// length.
  private final func tracedProgress() -> Double {
    var limit = Int.max
    return tracedProgress(limit: &limit, isLast: false)
  }

  /// Computes the progress of a promise that is being rejected, from at most 32 promises above it. Registers no
  /// watches, because the progress is not read again.
  ///
  /// The limit bounds the time of a cancellation. Cancelling each promise of a tree under a long pending chain would
  /// otherwise take time that grows with the square of the height. So would cancelling many promises under a combinator
  /// with many inputs.
  final var lastProgress: Double {
    var limit = 32
    return lastProgress(limit: &limit)
  }

  /// Computes the progress of a promise that is being rejected, from a limited number of promises above it.
  ///
  /// - Parameter limit: how many more promises to read. If there are more, the result is too low.
  final func lastProgress(limit: inout Int) -> Double {
    tracedProgress(limit: &limit, isLast: true)
  }

  /// - Parameter isLast: whether the progress is not read again. Then combinations are not watched from now on.
  private func tracedProgress(limit: inout Int, isLast: Bool) -> Double {
    var best = shownProgress
    var scale = ProgressScale(whole: weight)
    var promise = self
    while limit > 0 {
      limit -= 1
      switch promise.unmeasuredProgressEdge {
      case .waits(let source): promise = source
      case .adopts(let adopted, let amount, let share):
        scale = scale.entering(amount, share: share, weight: adopted.weight)
        promise = adopted
        best = max(best, scale.value(at: 0))
      case .independent(let amount, _): return max(best, scale.value(at: amount))
      case .combines(let combination):
        let progress = isLast ? combination.lastProgress(limit: &limit) : combination.progress
        return max(best, scale.value(at: promise.weight * progress))
      }
      // The promise is settled, and its outcome is about to be passed on.
      if promise.isClaimedInOrder { return max(best, scale.value(at: promise.doneAmount)) }
      best = max(best, scale.value(at: promise.weight * promise.shownProgress))
    }
    return best
  }

  /// Raises the progress of a pending promise to `value` and tells its observers. Returns the audience, whose watches
  /// the caller must wake. Returns `nil` if the progress was not lower or the promise is settled.
  final func raiseProgress(to value: Double) -> ProgressState.Audience? {
    let table = side.getOrCreateTable()
    // Read after the table was made. Pairs with a settling thread that did not find the table, see `SideReference`.
    guard !isClaimedInOrder, let audience = table.locked({ $0.progress.raise(to: value) }) else { return nil }
    for sink in audience.sinks { sink.offer(value, isLast: false) }
    return audience
  }

  /// Stores the progress that can only be computed through the edge of this promise, before that edge is released.
  final func keepProgress() {
    let value = lastProgress
    if value > shownProgress { ProgressWatch.wake(raiseProgress(to: value)?.watches ?? []) }
  }
}
