import Synchronization

// Links that nobody needs any more leave a pending promise: at once as a consumer and with all they captured, and soon
// as an entry of its list (rule 4.9).

extension AnyPromise {
  /// Somebody is going to wait for this promise. Counted before the edge is published: who takes the edge away again must
  /// find the count raised (rule 4.4).
  final func gainConsumer() {
    if !keepingWhileConsumed({ countConsumer() }) { resolved.gainConsumer() }
  }

  /// `false`: this promise was dissolved.
  private func countConsumer() -> (isCounted: Bool, isFirst: Bool) {
    var old = cell
    while true {
      if old.isMoved { return (false, false) }
      guard let new = old.consumerArrived() else { return (true, false) }
      // Relaxed: a number. A failure acquires the forwardee.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .relaxed, failureOrdering: .acquiring)
      if exchanged { return (true, old.consumers == 0) }
      old = CellWord(bits: found)
    }
  }

  /// A consumer that had not run is gone. `dead`: how many entries it leaves in the list.
  ///
  /// It leaves, and does not give the promise up: that is not cancelled, even if it was the last consumer (rule 4.4).
  final func lostConsumer(leavingBehind dead: UInt64) {
    // An identity may go with its last consumer.
    let promise = resolved
    promise.bury(dead)
    promise.loseConsumer()
  }

  /// The same, for who buries the entry later, and holds the promise.
  final func loseConsumer() {
    var promise = self
    var old = promise.cell
    while true {
      if old.isMoved {
        promise = promise.forwardee
        old = promise.cell
        continue
      }
      guard let (new, wasLast) = old.consumerLeft() else { return }
      // Relaxed: a number. A failure acquires the forwardee.
      let (exchanged, found) = promise.word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .relaxed, failureOrdering: .acquiring)
      if exchanged {
        if wasLast { promise.letGoUnconsumed() }
        return
      }
      old = CellWord(bits: found)
    }
  }

  /// What becomes of a promise that somebody gives up.
  enum GivingUp {
    /// Nobody else wants it: it is claimed as cancelled, and the caller settles it.
    case claimed
    /// Others want it, or it is settled.
    case goesOn
    /// It was dissolved: the one that it forwards to is to be given up.
    case moved
  }

  /// Somebody gives this promise up (rule 4.4): one atomic step.
  final func giveUp(_ departure: Departure) -> GivingUp {
    var old = cellHint
    while let (new, isClaimed) = old.givenUp(isCounted: departure.isCounted) {
      // Sequentially consistent: as `claim`.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged {
        if isClaimed {
          if old.consumers > 0 { letGoUnconsumed() }
          return .claimed
        }
        bury(departure.deadEntries)
        return .goesOn
      }
      old = CellWord(bits: found)
    }
    // Nothing was changed: it is settled, or its count sticks.
    if cell.isMoved { return .moved }
    bury(departure.deadEntries)
    return .goesOn
  }

  /// There are so many more dead entries in the list.
  final func bury(_ dead: UInt64) { if family.countDead(dead, enough: isWorthPruning) { prune() } }

  /// So many dead entries are worth a walk through the list: there are no more than twice as many living ones.
  private func isWorthPruning(_ dead: UInt64) -> Bool {
    dead >= 16 && dead >= UInt64(cellHint.consumers) / 2
  }

  /// Takes dead links out of the list. Borrows the list meanwhile; if the promise is published in that time, fires it.
  final func prune() { withBorrowedLinks { !$0.isDead } }

  /// Borrows the list, and shows each link to the body, which says whether it stays; the others are released. If the promise is published
  /// meanwhile, fires the list.
  final func withBorrowedLinks(_ stays: (Link) -> Bool) {
    var old = cellHint
    while let (new, list) = old.beginPruning() {
      // Acquiring: the links become ours.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged { return returnList(LinkList(newest: list).filtered(stays)) }
      old = CellWord(bits: found)
    }
  }

  /// Puts a borrowed list back, or fires it if the promise was published meanwhile.
  final func returnList(_ borrowed: consuming LinkList) { returnLinks(newest: borrowed.newestFirst()) }

  /// The same for a list that was not turned round.
  final func returnLinks(newest: UInt64) {
    var newest = newest
    var old = cellHint
    while true {
      let ending = old.endPruning(returning: newest)
      let new =
        switch ending {
        case .returned(let word), .drain(let word), .collect(let word, _): word
        }
      // Releasing: the list as we leave it. Acquiring: what was pushed meanwhile, or the payload, becomes ours.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      guard exchanged else {
        old = CellWord(bits: found)
        continue
      }
      switch ending {
      case .returned: return
      case .collect(_, let pushed):
        newest = LinkList.join(pushed, before: newest)
        old = cellHint
      case .drain:
        var settlement = Settlement()
        drain(LinkList(newest: newest), settledBy: nil, during: &settlement)
        return settlement.complete()
      }
    }
  }
}

extension LinkList {
  fileprivate consuming func filtered(_ stays: (Link) -> Bool) -> LinkList {
    var all = self
    var left = LinkList()
    while let link = all.popFirst() {
      if stays(link) { left.append(link) }
    }
    return left
  }
}

extension Link {
  /// Nothing will come of it: it was detached, or, as a forward, its edge was.
  fileprivate final var isDead: Bool {
    traits.contains(.forwards) ? asAdopting.inner.isEmpty : state.isDetached
  }
}
