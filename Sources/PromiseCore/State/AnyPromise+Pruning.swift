import Synchronization

// Removes dead entries from the list of a pending promise soon after the reactions were detached (rule 4.9). A *dead
// entry* is a reaction that will do nothing, because it was detached or because its edge has ended.

extension AnyPromise {
  /// Counts `dead` more dead entries in the list, and prunes the list if that has become worthwhile.
  final func recordDeadEntries(_ dead: UInt64) { if family.countDead(dead, enough: isWorthPruning) { prune() } }

  /// Whether a walk through the list is worthwhile: there are at most twice as many consumers as dead entries.
  private func isWorthPruning(_ dead: UInt64) -> Bool {
    dead >= 16 && dead >= UInt64(relaxedState.consumers) / 2
  }

  /// Removes the dead reactions from the list.
  final func prune() { withBorrowedReactions { !$0.isDead } }

  /// Borrows the list and calls the body with each reaction. The body returns whether the reaction stays. The others
  /// are released.
  ///
  /// If the promise is published meanwhile, this call fires the list. The others are released afterwards, because a
  /// release may run a `deinit` of the client. That may settle or cancel this promise, which must be complete when the
  /// client's call returns.
  final func withBorrowedReactions(_ stays: (Reaction) -> Bool) {
    var old = relaxedState
    while let (new, list) = old.beginPruning() {
      // Acquires the reactions, which this thread now owns.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged {
        var removed = ReactionList()
        returnList(ReactionList(newest: list).filtered(stays, removing: &removed))
        while removed.popFirst() != nil {}
        return
      }
      old = StateWord(bits: found)
    }
  }

  /// Releases the reactions in the list of this promise, which is deallocated while it is pending.
  ///
  /// A combinator may release a pending promise that only a Task of its own has waited for. The entry of a Task that was
  /// cancelled is dead, and still in the list.
  @inline(never)
  final func releaseReactions(newest: UInt64) {
    var reactions = ReactionList(newest: newest)
    while let reaction = reactions.popFirst() {
      assert(reaction.isDead, "A promise was deallocated while a reaction waited for it.")
    }
  }

  /// Returns a borrowed list, or fires it if the promise was published meanwhile.
  final func returnList(_ borrowed: consuming ReactionList) { returnReactions(newest: borrowed.newestFirst()) }

  /// Returns a borrowed list that still begins with its newest reaction.
  final func returnReactions(newest: UInt64) {
    var newest = newest
    var old = relaxedState
    while true {
      let ending = old.endPruning(returning: newest)
      let new =
        switch ending {
        case .returned(let word), .drain(let word), .collect(let word, _): word
        }
      // Releases the list as this thread leaves it. Acquires what was pushed meanwhile, or the payload.
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
        old = relaxedState
      case .drain:
        var settlement = Settlement()
        drain(ReactionList(newest: newest), settledBy: nil, during: &settlement)
        return settlement.complete()
      }
    }
  }
}

extension ReactionList {
  /// Returns the reactions that stay, and appends the others to another list.
  fileprivate consuming func filtered(
    _ stays: (Reaction) -> Bool, removing removed: inout ReactionList
  ) -> ReactionList {
    var all = self
    var left = ReactionList()
    while let reaction = all.popFirst() {
      if stays(reaction) { left.append(reaction) } else { removed.append(reaction) }
    }
    return left
  }
}

extension Reaction {
  /// Nothing will come of the reaction, because it was detached, or because the edge of the forward has ended.
  fileprivate final var isDead: Bool {
    traits.contains(.forwards) ? asAdopting.adopted.isEmpty : state.isDetached
  }
}
