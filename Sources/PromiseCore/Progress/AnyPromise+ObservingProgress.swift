extension AnyPromise {
  /// Shows the progress to the sink from now on, and the present one at once, if above 0 (rule 5.3). It does not count as a
  /// consumer (rule 4.0).
  final func observeProgress(by sink: ProgressSink) {
    let promise = resolved
    let isAdded = !promise.isProgressOver && promise.side.getOrCreateTable().locked { $0.progress.add(sink) }
    // After the table: who settles the promise claims it, and then looks for the table. One of us sees the other.
    if promise.isProgressOver {
      // The others are told by whoever settles it, before anybody hears of the outcome (rule 5.2): this thread might be too slow.
      if isAdded { promise.ignoreProgress(by: sink) }
    } else {
      promise.watchProgress()
    }
    // As long as it is pending a watch keeps that up to date, and has told the sink if it was quicker. No further look upward: to
    // observe each promise of a long chain would take a time that grows with the square of its length.
    let present = promise.isProgressOver ? promise.progress : promise.shownProgress
    if present > 0 { sink.offer(present, isLast: promise.isProgressOver) }
    if promise.isProgressOver { sink.end() }
  }

  /// The sink is shown nothing any more.
  final func ignoreProgress(by sink: ProgressSink) { _ = resolved.side.table?.locked { $0.progress.remove(sink) } }

  /// What this promise shows is kept up to date from now on. If it is already, there is nothing to do: who depends on this
  /// promise need not look again whenever somebody comes to observe it.
  ///
  /// Who adopts publishes the edge and then looks for a table here; who observes registers in the table and then looks for the
  /// edge. All four are sequentially consistent.
  final func watchProgress() {
    if let combination { return combination.watchProgress() }
    guard !producer.isEmpty else { return }
    ProgressWatch.wake(side.getOrCreateTable().locked { $0.progress.beginWatching(self) })
  }

  /// Somebody keeps what this promise shows up to date.
  final var isProgressWatched: Bool { side.table?.locked { $0.progress.isWatched } ?? false }

  /// The promise has adopted another: what depends on it must look anew.
  final func renewProgressWatches() {
    guard let table = side.table, !producer.isEmpty else { return }
    ProgressWatch.wake(table.locked { $0.progress.watches(of: self) })
  }

  /// The promise was collapsed into the one that it adopted: these must go on to that one.
  final func collectStandingProgressWatches(in watches: inout [ProgressWatch]) {
    if let table = side.table { watches += table.locked { $0.progress.standingWatches } }
  }

  /// Somebody observes this promise: it must not be collapsed, for its observers are its own.
  final var isProgressObserved: Bool { side.table?.locked { $0.progress.isObserved } ?? false }
}
