import Synchronization

// The count of consumers of a pending promise (rule 4.0), and giving a promise up (rule 4.4).

extension AnyPromise {
  /// Somebody is going to wait for this promise. Counted before the edge is published: who takes the edge away again must
  /// find the count raised (rule 4.4).
  final func addConsumer() {
    var promise = self
    var old = promise.cell
    while true {
      if old.isForwarded {
        promise = promise.forwardee
        old = promise.cell
        continue
      }
      guard let new = old.consumerArrived() else { return }
      // Relaxed: a number. A failure acquires the forwardee.
      let (exchanged, found) = promise.word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .relaxed, failureOrdering: .acquiring)
      if exchanged { return }
      old = StateWord(bits: found)
    }
  }

  /// A consumer that had not run is gone. `dead`: how many entries it leaves in the list.
  ///
  /// It leaves, and does not give the promise up: that is not cancelled, even if it was the last consumer (rule 4.4).
  final func removeConsumer(leavingBehind dead: UInt64) {
    let promise = resolved
    promise.recordDeadEntries(dead)
    promise.removeConsumer()
  }

  /// The same, for who buries the entry later, and holds the promise.
  final func removeConsumer() {
    var promise = self
    var old = promise.cell
    while true {
      if old.isForwarded {
        promise = promise.forwardee
        old = promise.cell
        continue
      }
      guard let (new, wasLast) = old.consumerLeft() else { return }
      // Sequentially consistent: pairs with the mark of `releaseClientPromise`. A failure acquires the forwardee.
      let (exchanged, found) = promise.word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .acquiring)
      if exchanged {
        if wasLast { promise.lostLastConsumer() }
        return
      }
      old = StateWord(bits: found)
    }
  }

  /// What becomes of a promise that somebody gives up.
  enum GivingUp {
    /// Nobody else wants it: it is claimed as cancelled, and the caller settles it.
    case claimed
    /// Others want it, or it is settled.
    case goesOn
    /// It was collapsed: the one that it forwards to is to be given up.
    case forwarded
  }

  /// Somebody gives this promise up (rule 4.4): one atomic step.
  final func giveUp(_ departure: Departure) -> GivingUp {
    var old = cellHint
    while let (new, isClaimed) = old.givenUp(isCounted: departure.isCounted) {
      // Sequentially consistent: as `claim`.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged {
        if isClaimed { return .claimed }
        recordDeadEntries(departure.deadEntries)
        return .goesOn
      }
      old = StateWord(bits: found)
    }
    // Nothing was changed: it is settled, or its count sticks.
    if cell.isForwarded { return .forwarded }
    recordDeadEntries(departure.deadEntries)
    return .goesOn
  }
}
