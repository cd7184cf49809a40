extension AnyPromise {
  /// Passes the progress to a sink from now on, and the present value at once if it is above 0 (rule 5.3). The sink is
  /// not a consumer (rule 4.0).
  final func observeProgress(by sink: ProgressSink) {
    let promise = resolved
    let isAdded = !promise.isClaimedInOrder && promise.side.getOrCreateTable().locked { $0.progress.add(sink) }
    // Read after the table was made. Pairs with the settling thread, which claims the promise and then looks for the
    // table. So one of the two threads sees the other.
    if promise.isClaimedInOrder {
      // The settling thread ends the progress of the other sinks before any handler of the outcome is scheduled (rule
      // 5.2). This thread might be too late for that.
      if isAdded { promise.ignoreProgress(by: sink) }
    } else {
      promise.watchProgress()
    }
    // While the promise is pending, a watch keeps this value up to date, and has told the sink if it was faster. Do not
    // compute the progress here. To observe each promise of a long chain would then take quadratic time.
    let present = promise.isClaimedInOrder ? promise.progress : promise.shownProgress
    if present > 0 { sink.offer(present, isLast: promise.isClaimedInOrder) }
    if promise.isClaimedInOrder { sink.end() }
  }

  /// Stops passing the progress to a sink.
  final func ignoreProgress(by sink: ProgressSink) { _ = resolved.side.table?.locked { $0.progress.remove(sink) } }

  /// Keeps the shown progress of this promise up to date from now on. Does nothing if it is kept up to date already, so
  /// that a new observer does not make the promises that depend on this promise look again.
  ///
  /// Sequentially consistent. An adopter publishes the edge and then looks for a table here. An observer registers in
  /// the table and then looks for the edge. So one of the two threads sees the other.
  final func watchProgress() {
    if let combination { return combination.watchProgress() }
    guard !producer.isEmpty else { return }
    ProgressWatch.wake(side.getOrCreateTable().locked { $0.progress.beginWatching(self) })
  }

  /// Whether a watch keeps the shown progress of this promise up to date.
  final var isProgressWatched: Bool { side.table?.locked { $0.progress.isWatched } ?? false }

  /// Makes the watches that depend on this promise look again, because it has adopted another promise.
  final func renewProgressWatches() {
    guard let table = side.table, !producer.isEmpty else { return }
    ProgressWatch.wake(table.locked { $0.progress.watches(of: self) })
  }

  /// Collects the watches that must continue to the adopted promise, because this promise was collapsed into it.
  final func collectDependentProgressWatches(in watches: inout [ProgressWatch]) {
    if let table = side.table { watches += table.locked { $0.progress.dependentWatches } }
  }
}
