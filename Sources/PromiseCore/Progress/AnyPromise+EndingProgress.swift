// Where a promise is settled its progress ends: at 1, or where it was (rule 5.2).

extension AnyPromise {
  /// This promise is claimed, and not yet published: its observers are told the last value, before any handler of the
  /// outcome is scheduled, and are let go. By the thread that has claimed it, any number of times.
  ///
  /// An owner that follows others, and whoever cancels, does it before those are left: a rejected promise stays where it was.
  ///
  /// - Parameter adopted: the promise whose rejection passes to this one, and which this one has just left.
  final func endProgress(of adopted: AnyPromise? = nil) {
    let isFulfilled = !cellHint.isRejected
    if isFulfilled && side.table == nil || isProgressEnded { return }
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

  /// It was ended, by this or another thread; a rejection at 0 may not show.
  final var isProgressEnded: Bool { side.table?.locked { $0.progress.isEnded } ?? (side.doneAmount != nil) }

  /// How far a promise had come that is being rejected. 0 also where that could be stored without a table.
  private final func valueWhenRejected(by adopted: AnyPromise?) -> Double {
    if let combination { return combination.lastProgress }
    switch progressEdge {
    case .stands(let amount, let share):
      if let adopted { return (amount + share * adopted.doneAmount / adopted.weight) / weight }
      return amount == 0 || side.end(withAmountDone: amount) ? 0 : amount / weight
    case .adopts, .waits: return lastProgress
    }
  }
}
