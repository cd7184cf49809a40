import Synchronization

// Whether an adoption closes a ring (rule 3.2): `self` has just adopted `adopted`. That is so if `adopted` waits for `self`, directly or
// not. The question can be asked from both ends: upwards from `adopted`, along what each promise waits for, and downwards from `self`, along
// the promises that wait for each. Both ways are searched in turn, with growing limits, so that the cost is that of the shorter way.
// Adoptions that are nested thousands deep have one short way each, in whatever order they are made.

extension AnyPromise {
  /// `adopted`, which this promise has just adopted, waits for this promise.
  ///
  /// - Complexity: O(min(*n*, *m*)), where *n* is the number of promises that `adopted` waits for, and *m* the number of those that wait for
  ///   this promise, of their reactions and of their observers. O(*n*) if another thread is changing one of these, or a combinator
  ///   is among them.
  final func isAwaited(by adopted: AnyPromise) -> Bool {
    if self !== adopted, adopted.waitsForHandlerAlone { return false }
    var limit = 64
    while true {
      if let answer = adopted.waits(for: self, lookingAtMost: limit) { return answer }
      switch search(for: adopted, lookingAtMost: limit) {
      case .notBelow: return false
      case .limitReached: limit *= 4
      case .found, .unknown: limit = .max
      }
    }
  }

  /// This promise, directly or not, can only be settled after `other`. `nil`: the limit was reached.
  private func waits(for other: AnyPromise, lookingAtMost limit: Int) -> Bool? {
    var isFound = false
    var count = 0
    forEachAwaited { promise in
      isFound = isFound || promise === other
      count += 1
      return !isFound && count <= limit
    }
    return isFound ? true : count > limit ? nil : false
  }

  private enum Search { case found, notBelow, limitReached, unknown }

  /// Looks for `other` among the pending promises that wait for this one.
  ///
  /// A reaction is pushed after its edge to the source was published, and before its thread asks whether it closes a ring. So, if a reaction is
  /// pushed to a list that was looked at here before, the thread that pushes it finds the edge of this promise in its own search.
  private func search(for other: AnyPromise, lookingAtMost limit: Int) -> Search {
    var found = ShortList(self)
    var count = 0
    while let promise = found.popLast() {
      if promise === other { return .found }
      let state = promise.cellInOrder
      // Its waiting reactions were moved to another promise, or another thread has borrowed them.
      if state.isForwarded || state.isPruning { return .unknown }
      // A promise that is being settled is not waited for any more.
      if state.isClaimed { continue }
      var isUnknown = false
      let isBorrowed = promise.withReactions(atMost: limit - count) { reaction in
        count += 1
        if let target = reaction.targetInList {
          found.append(target)
        } else if reaction.maySettleOthers {
          isUnknown = true
        }
      }
      if isUnknown || !isBorrowed { return .unknown }
      if count >= limit { return .limitReached }
    }
    return .notBelow
  }

  /// Shows the newest reactions that wait here to the body, which keeps none. Others may push and settle meanwhile. `false`: another thread
  /// has the list.
  final func withReactions(atMost limit: Int, _ body: (Reaction) -> Void) -> Bool {
    var old = cellInOrder
    while let (new, newest) = old.beginPruning() {
      // Acquiring: the reactions become ours. Sequentially consistent, as the pushes are.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent,
        failureOrdering: .sequentiallyConsistent)
      if exchanged {
        var reaction = newest
        var count = 0
        while reaction != 0, count < limit {
          reaction = unsafe Unmanaged<Reaction>.at(reaction)._withUnsafeGuaranteedRef {
            body($0)
            return $0.state.next
          }
          count += 1
        }
        returnReactions(newest: newest)
        return true
      }
      old = StateWord(bits: found)
    }
    // Without reactions, or settled meanwhile.
    return !old.isForwarded && !old.isPruning
  }
}

extension Reaction {
  /// An observer without a target that may settle a promise all the same: that of a combinator. The caller owns the list.
  fileprivate final var maySettleOthers: Bool {
    traits.isDisjoint(with: [.bystander, .requests, .forwards]) && context == nil && !state.isDetached
  }
}
