// The progress of a promise ends when the promise is settled. A fulfilled promise ends at 1, a rejected promise keeps
// its progress (rule 5.2).

extension AnyPromise {
  /// Ends the progress of this promise, which is claimed and not yet published. Passes the last value to the observers
  /// before any handler of the outcome is scheduled, and releases the observers.
  ///
  /// Called by the thread that has claimed the promise, any number of times. If an owner's promise follows others, or a
  /// canceller settles the promise, this is called before the promise leaves the others, so that a rejected promise
  /// keeps its progress.
  ///
  /// - Parameter adopted: the promise whose rejection passes to this promise, and which this promise has just left.
  @inline(__always)
  final func endProgress(of adopted: AnyPromise? = nil) {
    if relaxedState.isRejected || side.hasTable { endShownProgress(of: adopted) }
  }

  /// Not inlined, because most promises are fulfilled, and nothing has asked for their progress.
  @inline(never)
  private func endShownProgress(of adopted: AnyPromise?) {
    let isFulfilled = !relaxedState.isRejected
    if isProgressEnded { return }
    let value = isFulfilled ? 1 : valueWhenRejected(by: adopted)
    if value == 0 && side.table == nil { return }
    guard let audience = side.getOrCreateTable().locked({ $0.progress.end(at: value) }) else { return }
    let last = shownProgress
    for sink in audience.sinks {
      sink.offer(last, isLast: isFulfilled)
      sink.end()
    }
    ProgressWatch.wake(audience.watches)
  }

  /// Whether the progress was ended, by any thread. May be `false` for a promise that was rejected with a progress of
  /// 0.
  final var isProgressEnded: Bool { side.table?.locked { $0.progress.isEnded } ?? (side.doneAmount != nil) }

  /// Returns the progress of a promise that is being rejected. Returns 0 also if the progress could be stored without a
  /// table.
  private final func valueWhenRejected(by adopted: AnyPromise?) -> Double {
    if let combination { return combination.lastProgress }
    switch progressEdge {
    case .independent(let amount, let share):
      if let adopted { return (amount + share * adopted.doneAmount / adopted.weight) / weight }
      return amount == 0 || side.recordRejection(withAmountDone: amount) ? 0 : amount / weight
    case .adopts, .waits, .combines: return lastProgress
    }
  }
}
