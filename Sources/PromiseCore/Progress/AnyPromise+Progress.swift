extension Deferred {
  /// Reports the progress of the work (rule 5.1).
  ///
  /// The report reaches the observers of this promise and of the promises derived from it, such as
  /// ``Promise/onProgress(on:_:)`` and ``Promise/progressUpdates``. They run on their contexts, soon after this call
  /// and never inside it. No value traps.
  ///
  /// - Parameter progress: a fraction from 0 to 1. A value above 1, including infinity, counts as 1.
  /// - Returns: `false` if the report was dropped, because it is NaN, is not above the present ``AnyPromise/progress``,
  ///   or came after the promise was settled or cancelled.
  /// - Complexity: O(*n*), where *n* is the number of notified observers, and of promises on the way to them that are
  ///   observed, are results of combinators, or have adopted or followed another. If the promise follows another, as
  ///   ``AnyPromise/progress``. The first report makes the side table of the promise.
  @discardableResult @Sendable
  public func report(progress: Double) -> Bool { source.reportProgress(progress) }
}

extension AnyPromise {
  fileprivate final func reportProgress(_ progress: Double) -> Bool {
    // The comparison is false for NaN.
    guard progress > 0, acquiredState.isPending else { return false }
    let value = min(progress, 1)
    // The followed promise may have more progress.
    if isFollowing, value <= self.progress { return false }
    guard let watches = raiseProgress(to: value) else { return false }
    ProgressWatch.wake(watches)
    return true
  }
}

extension Promise {
  /// Calls the closure with the progress whenever it has grown (rules 5.1 to 5.5).
  ///
  /// ```swift
  /// download.onProgress(on: queue) { print("\(Int(100 * $0)) %") }
  /// ```
  ///
  /// - The closure runs on `context`, never inside this call, nor inside the call that reports.
  /// - If the progress is above 0 already, the closure is called once with the current value, even if the promise is
  ///   settled.
  /// - When the promise is fulfilled, the closure is called with 1. On a first-in-first-out context this happens before
  ///   any handler of the value runs. After a rejection, the closure is called at most once more, with the last value
  ///   if it has not received that yet.
  /// - If the closure is slower than the reports, values in between are skipped, but the last value is not.
  /// - If the promise, or one above it, is cancelled, nothing that is queued is shown any more (rule 2.5).
  ///
  /// The observer is not a consumer of the promise (rule 4.0), and does not handle a rejection. The closure is released
  /// once the promise is settled and the closure has received the last value.
  ///
  /// - Parameters:
  ///   - context: where the closure runs. If it drops the job, that value is not shown.
  ///   - body: receives a fraction above 0 and up to 1, each time higher than before.
  /// - Returns: this promise.
  /// - Complexity: O(*n*), where *n* is the number of pending promises that this promise waits for, up to the nearest
  ///   observed promise.
  @discardableResult
  public func onProgress(
    on context: any ExecutionContext, _ body: @escaping @Sendable (Double) -> Void
  ) -> Promise {
    observeProgress(by: ProgressObserver(on: context, Diagnostics.isActive ? resolved.prepare(body) : body))
    return self
  }
}

extension AnyPromise {
  /// The progress of the work behind this promise, from 0 to 1. It never falls (rule 5.1).
  ///
  /// - The promise of an owner shows the value that was reported by ``Deferred/report(progress:)``. If it follows
  ///   another promise, it shows that promise's progress if that is higher. If it follows several, the newest counts.
  /// - A derived promise shows the share of the whole chain that is done. The share of each link is its weight, and
  ///   that of the owner's promise is 1 (rule 5.4).
  /// - A fulfilled promise shows 1. A rejected promise keeps the progress that was last reported to its owner,
  ///   delivered to an observer of it, or read from it, or shows more (rule 5.2).
  ///
  /// May be read from any thread. To observe changes, use ``Promise/onProgress(on:_:)``.
  ///
  /// - Complexity: O(*n*), where *n* is the number of pending promises that this promise waits for, up to the nearest
  ///   result of a combinator whose progress was read before. Before that, its inputs count, too, and what they wait
  ///   for. Each promise counts once, even if several paths lead to it. The first read of a derived promise's progress
  ///   makes a side table, which stores the value.
  public final var progress: Double {
    let promise = resolved
    let state = promise.acquiredState
    if state.isDone { return state.isRejected ? min(1, promise.doneAmount / promise.weight) : 1 }
    let traced = promise.tracedProgress
    if traced > promise.shownProgress { ProgressWatch.wake(promise.raiseProgress(to: traced) ?? []) }
    // Read last, because another thread may have raised the progress or settled the promise meanwhile.
    let shown = promise.shownProgress
    let last = promise.acquiredState
    return last.isDone && !last.isRejected ? 1 : shown
  }

  /// The progress of a pending promise, computed from all that it waits for. This is a loop, so a chain may be of any
  /// length.
  private final var tracedProgress: Double {
    var best = foundProgress
    var scale = ProgressScale(whole: weight)
    var promise = self
    while true {
      switch promise.progressEdge {
      case .waits(let source): promise = source
      case .adopts(let adopted, let shares):
        scale = scale.entering(shares, weight: adopted.weight)
        promise = adopted
        best = max(best, scale.value(at: 0))
      case .independent(let amount): return max(best, scale.value(at: amount))
      }
      // The promise is settled, and its outcome is about to be passed on.
      if promise.acquiredState.isDone { return max(best, scale.value(at: promise.doneAmount)) }
      best = max(best, scale.value(at: promise.weight * promise.foundProgress))
    }
  }

  /// The progress that this pending promise has shown. If a combinator has made it, its inputs are watched from now on.
  private final var foundProgress: Double {
    let (shown, isResult) = locked { (side?.progress.shown ?? 0, side?.combination != nil) }
    guard isResult, let watch = makeProgressWatch() else { return shown }
    ProgressWatch.wake([watch])
    return shownProgress
  }

  /// Raises the progress of a pending promise to `value` and tells its observers. Returns the watches that must look
  /// again, which the caller must wake. Returns `nil` if the progress was not lower or the promise is settled.
  final func raiseProgress(to value: Double) -> [ProgressWatch]? {
    let audience = withState { state in state.isPending ? sideTable.progress.raise(to: value) : nil }
    for sink in audience?.sinks ?? [] { sink.offer(value, of: self, isSettled: false) }
    return audience?.watches
  }
}
