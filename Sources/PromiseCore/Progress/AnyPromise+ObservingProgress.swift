extension AnyPromise {
  /// Passes the progress to a sink from now on, and the present value at once if it is above 0 (rule 5.3). The sink is
  /// not a consumer (rule 4.0).
  final func observeProgress(by sink: ProgressSink) {
    let promise = resolved
    let isAdded = promise.withState { state in state.isPending && promise.sideTable.progress.add(sink) }
    if isAdded { promise.watchProgress() }
    // While the promise is pending, a watch keeps this value up to date, and has told the sink if it was faster. Do not
    // compute the progress here. To observe each promise of a long chain would then take quadratic time.
    let isDone = promise.acquiredState.isDone
    let present = isAdded ? promise.shownProgress : promise.progress
    // A sink that was added is ended by the thread that settles the promise.
    if present > 0, !(isAdded && isDone) { sink.offer(present, isLast: isDone) }
    if !isAdded { sink.end() }
  }

  /// Stops passing the progress to a sink.
  final func ignoreProgress(by sink: ProgressSink) {
    let promise = resolved
    _ = promise.locked { promise.side?.progress.remove(sink) }
  }

  /// Keeps the shown progress of this promise up to date from now on. Does nothing if it is kept up to date already, so
  /// that a new observer does not make the promises that depend on this promise look again.
  final func watchProgress() {
    if let combination { return combination.watchProgress() }
    guard dependsOnOthers else { return }
    ProgressWatch.wake(withState { state in state.isPending ? sideTable.progress.beginWatching(self) : [] })
  }

  /// Whether the progress of this pending promise may depend on others, or on a promise that its handler returns.
  final var dependsOnOthers: Bool {
    withState { state in
      state.isPending && (state.isEntry && state.stage != .ended || side.map { !$0.follows.isEmpty } ?? false)
    }
  }

  /// Whether a watch keeps the shown progress of this promise up to date.
  final var isProgressWatched: Bool { locked { side?.progress.isWatched ?? false } }

  /// Makes the watches that depend on this promise look again, because it has adopted another promise.
  final func renewProgressWatches() {
    // Most promises have no side table.
    ProgressWatch.wake(withState { state in state.isPending ? side?.progress.watches(of: self) ?? [] : [] })
  }

  /// The watches that must continue to the adopted promise, because this promise was collapsed into it.
  final func takeDependentProgressWatches() -> [ProgressWatch] { locked { side?.progress.dependentWatches ?? [] } }
}
