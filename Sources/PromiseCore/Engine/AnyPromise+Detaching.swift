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
      if old.isFull {
        spillConsumers()
        old = cell
        continue
      }
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
  /// Returns `true` where it was the last consumer (rule 4.4), of this promise or of the one that it was dissolved into.
  @discardableResult
  final func lostConsumer(leavingBehind dead: UInt64) -> Bool {
    var promise = self
    while true {
      let departure = promise.takeConsumer()
      if departure == .moved {
        promise = promise.forwardee
        continue
      }
      promise.bury(dead, wasLast: departure == .last)
      return departure == .last
    }
  }

  private enum Departure { case last, notLast, moved }

  private func takeConsumer() -> Departure {
    var old = cell
    while !old.isMoved {
      if !old.isClaimed, old.consumers <= 1, refillConsumers() { old = cell }
      guard let (new, last) = old.consumerLeft() else { break }
      // Relaxed: a number. A failure acquires the forwardee.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .relaxed, failureOrdering: .acquiring)
      if exchanged { return last ? .last : .notLast }
      old = CellWord(bits: found)
    }
    return old.isMoved ? .moved : .notLast
  }

  /// The first half of `lostConsumer`: counts, and does nothing else. What it answers, the second half must be told.
  final func consumerLeft() -> Bool { takeConsumer() == .last }

  /// The second half: there are so many more dead entries in the list, and maybe no consumers.
  final func bury(_ dead: UInt64, wasLast: Bool) {
    if kin.countDead(dead, enough: isWorthPruning) { prune() }
    if wasLast { letGoUnconsumed() }
  }

  /// So many dead entries are worth a walk through the list: there are no more than twice as many living ones.
  private func isWorthPruning(_ dead: UInt64) -> Bool {
    guard dead >= 16, dead >= UInt64(cellHint.consumers) / 2 else { return false }
    return dead >= UInt64(cellHint.consumers + countSpilled) / 2 || dead == KinReference.mostDead
  }

  /// Takes dead links out of the list. Borrows the list meanwhile; if the promise is published in that time, fires it.
  final func prune() {
    var old = cellHint
    while let (new, list) = old.beginPruning() {
      // Acquiring: the links become ours.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged { return returnList(LinkList(newest: list).living()) }
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
        drain(LinkList(newest: newest), isShared: true, during: &settlement)
        return settlement.complete()
      }
    }
  }
}

// MARK: - More consumers than the word can count

extension AnyPromise {
  /// Makes room to count more consumers: part of them is counted in the side table, under whose lock both counts are changed.
  final func spillConsumers() {
    side.demandTable().locked { table in
      if changeCount({ $0.spilled() }) { table.spills += 1 }
    }
  }

  /// How many consumers are counted in the side table. Read after the word: who finds it as it was before one of the two has
  /// changed can exchange it only then.
  final var countSpilled: Int { (side.table?.locked { $0.spills } ?? 0) * CellWord.spill }

  /// Takes a part back, before the count in the word falls to 0. `false`: there is none.
  fileprivate func refillConsumers() -> Bool {
    side.table?.locked { table in
      guard table.spills > 0, changeCount({ $0.refilled() }) else { return false }
      table.spills -= 1
      return true
    } ?? false
  }

  private func changeCount(_ change: (CellWord) -> CellWord?) -> Bool {
    var old = cellHint
    while let new = change(old) {
      // Relaxed: a number.
      let (exchanged, found) = word.compareExchange(expected: old.bits, desired: new.bits, ordering: .relaxed)
      if exchanged { return true }
      old = CellWord(bits: found)
    }
    return false
  }
}

extension LinkList {
  /// The links that still have something to do; the others are released.
  fileprivate consuming func living() -> LinkList {
    var all = self
    var living = LinkList()
    while let link = all.popFirst() {
      if !link.isDead { living.append(link) }
    }
    return living
  }
}

extension Link {
  /// Nothing will come of it: it was detached, or, as a forward, its edge was.
  fileprivate final var isDead: Bool {
    traits.contains(.forwards) ? asAdopting.inner.isEmpty : state.isDetached
  }
}
