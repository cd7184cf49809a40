import Synchronization

// Dead entries leave the list of a pending promise soon after the reactions were called off (rule 4.9).

extension AnyPromise {
  /// There are so many more dead entries in the list.
  final func recordDeadEntries(_ dead: UInt64) { if family.countDead(dead, enough: isWorthPruning) { prune() } }

  /// So many dead entries are worth a walk through the list: there are no more than twice as many living ones.
  private func isWorthPruning(_ dead: UInt64) -> Bool {
    dead >= 16 && dead >= UInt64(cellHint.consumers) / 2
  }

  /// Takes dead reactions out of the list. Borrows the list meanwhile; if the promise is published in that time, fires it.
  final func prune() { withBorrowedReactions { !$0.isDead } }

  /// Borrows the list, and shows each reaction to the body, which says whether it stays; the others are released. If the promise is published
  /// meanwhile, fires the list.
  final func withBorrowedReactions(_ stays: (Reaction) -> Bool) {
    var old = cellHint
    while let (new, list) = old.beginPruning() {
      // Acquiring: the reactions become ours.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged { return returnList(ReactionList(newest: list).filtered(stays)) }
      old = StateWord(bits: found)
    }
  }

  /// Puts a borrowed list back, or fires it if the promise was published meanwhile.
  final func returnList(_ borrowed: consuming ReactionList) { returnReactions(newest: borrowed.newestFirst()) }

  /// The same for a list that was not turned round.
  final func returnReactions(newest: UInt64) {
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
        old = StateWord(bits: found)
        continue
      }
      switch ending {
      case .returned: return
      case .collect(_, let pushed):
        newest = ReactionList.join(pushed, before: newest)
        old = cellHint
      case .drain:
        var settlement = Settlement()
        drain(ReactionList(newest: newest), settledBy: nil, during: &settlement)
        return settlement.complete()
      }
    }
  }
}

extension ReactionList {
  fileprivate consuming func filtered(_ stays: (Reaction) -> Bool) -> ReactionList {
    var all = self
    var left = ReactionList()
    while let reaction = all.popFirst() {
      if stays(reaction) { left.append(reaction) }
    }
    return left
  }
}

extension Reaction {
  /// Nothing will come of it: it was detached, or, as a forward, its edge was.
  fileprivate final var isDead: Bool {
    traits.contains(.forwards) ? asAdopting.adopted.isEmpty : state.isDetached
  }
}
