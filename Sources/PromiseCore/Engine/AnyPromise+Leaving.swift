// A promise that is rejected though nothing above it is: it leaves what it waits for, and what is below it is found all the while.

extension AnyPromise {
  /// The time is up for this derived promise: it is rejected, which is no cancellation, and leaves what it waits for as
  /// a cancelled one does (rule 4.9). `false`: it is settled already.
  @discardableResult
  package final func timeOut(because error: PromiseError) -> Bool {
    // What it leaves is left alone.
    rejectFromBeside(with: error) { leaveUpstream(abandoning: false) }
  }

  /// Rejects this promise, though nothing above it is rejected. `false`: it is settled already.
  ///
  /// - Parameter leave: leaves what this promise waits for.
  @discardableResult
  final func rejectFromBeside(with error: PromiseError, leaving leave: () -> Void) -> Bool {
    var pending = upstream
    var settled = pending.removeSettled()
    var standIns = standIns(below: settled)
    defer { for standIn in standIns { standIn.end() } }
    guard claim(rejecting: error, cancelled: false) else { return false }
    endProgress()
    // Before this one, or so it may have been seen.
    let settledMeanwhile = pending.removeSettled()
    standIns.append(contentsOf: self.standIns(below: settledMeanwhile))
    settled.append(contentsOf: settledMeanwhile)
    stay(below: settled)
    leave()
    publish()
    return true
  }

  /// Keep them until this promise is closed, or end them.
  final func standIns(below settled: ShortList<AnyPromise>) -> ShortList<StandIn> {
    var standIns = ShortList<StandIn>()
    for above in settled { standIns.append(StandIn(for: self, below: above)) }
    return standIns
  }
}

extension ShortList<AnyPromise> {
  /// Takes those out that are settled.
  mutating func removeSettled() -> Self {
    var (settled, others) = (Self(), Self())
    while let promise = popLast() {
      if promise.cell.isDone { settled.append(promise) } else { others.append(promise) }
    }
    self = others
    return settled
  }
}
