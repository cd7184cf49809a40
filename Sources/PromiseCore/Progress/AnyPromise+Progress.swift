extension AnyPromise {
  /// How far the work behind this promise has come: 0...1, and never falling (rule 5.1).
  ///
  /// - A promise that an owner settles shows what was reported by ``Deferred/report(progress:)``, or, if it follows another,
  ///   the progress of that (of several: of the newest), whichever is higher.
  /// - A derived promise shows the share of the whole chain that is done: the links that came before it count as much as they
  ///   weigh, the owner's promise 1 (rule 5.4; reference row J3).
  /// - Fulfilled, it is 1. Rejected, it stays where it was (rule 5.2); only a promise that was cancelled, timed out
  ///   or rejected by its owner while more than 32 others lay above it, and whose progress nobody had asked for, forgets what
  ///   those beyond had done. Above it lie pending links, and the inputs of the results of combinators among them. Of a result
  ///   that is cancelled itself all inputs are looked at, and each with what lies above it counts by itself.
  ///
  /// May be read from any thread; ``Promise/onProgress(on:_:)`` tells when it changes.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises that this one waits for, and of inputs of combinators
  ///   among these; each counts once, however many ways lead there. What was read of a derived promise is kept in its
  ///   side table, which the first such read makes.
  public final var progress: Double {
    let promise = resolved
    if promise.isProgressOver { return promise.finalProgress }
    let traced = promise.tracedProgress()
    if traced > promise.shownProgress { ProgressWatch.wake(promise.raiseProgress(to: traced)?.watches ?? []) }
    // Read last: what another thread has shown, or how the promise has ended meanwhile.
    return promise.isProgressOver ? promise.finalProgress : max(traced, promise.shownProgress)
  }

  /// Of a promise that is settled, or about to be.
  private final var finalProgress: Double {
    guard cellHint.isRejected else { return 1 }
    // Nothing is stored where it was 0, nor for a rejection that another thread has just claimed: that looks as we do.
    let traced = isProgressEnded ? 0 : lastProgress
    return max(traced, doneAmount / weight)
  }

  /// The progress of a pending promise, pulled through all that it waits for. A loop, however far that is.
  private final func tracedProgress() -> Double {
    var limit = Int.max
    return tracedProgress(limit: &limit) { combination, _ in combination.progress }
  }

  /// The same for who will not ask again, as the promise is being rejected: nothing is looked after from now on, and what is far
  /// away is not looked at, nor all of what is wide. Who is cancelled under a long chain of pending promises must not walk
  /// up all of it: a tree of them would take a time that grows with the square of its height. So would many that are cancelled
  /// under a combination of many.
  final var lastProgress: Double {
    var limit = 32
    return lastProgress(limit: &limit)
  }

  /// - Parameter limit: how many more promises to look at, at most; the value is too low if there are more.
  final func lastProgress(limit: inout Int) -> Double {
    tracedProgress(limit: &limit) { $0.lastProgress(limit: &$1) }
  }

  private func tracedProgress(limit: inout Int, combined: (Combination, inout Int) -> Double) -> Double {
    var best = shownProgress
    var scale = ProgressScale(whole: weight)
    var promise = self
    while limit > 0 {
      limit -= 1
      switch promise.progressEdge(combined: { combined($0, &limit) }) {
      case .waits(let source): promise = source
      case .adopts(let adopted, let amount, let share):
        scale = scale.entering(amount, share: share, weight: adopted.weight)
        promise = adopted
        best = max(best, scale.value(at: 0))
      case .stands(let amount, _): return max(best, scale.value(at: amount))
      }
      // Settled, and its outcome is on its way.
      if promise.isProgressOver { return max(best, scale.value(at: promise.doneAmount)) }
      best = max(best, scale.value(at: promise.weight * promise.shownProgress))
    }
    return best
  }

  /// The progress of a pending promise is `value` by now: tells its observers. Returns who else must be told; `nil`: it
  /// was higher already, or the promise is settled.
  final func raiseProgress(to value: Double) -> ProgressState.Audience? {
    let table = side.getOrCreateTable()
    // After the table: a settlement that does not find it is found here, see `SideReference`.
    guard !isProgressOver, let audience = table.locked({ $0.progress.raise(to: value) }) else { return nil }
    for sink in audience.sinks { sink.offer(value, isLast: false) }
    return audience
  }

  /// What leads to this promise is going: what can be told of its progress only from there is kept.
  final func keepProgress() {
    let value = lastProgress
    if value > shownProgress { ProgressWatch.wake(raiseProgress(to: value)?.watches ?? []) }
  }
}
