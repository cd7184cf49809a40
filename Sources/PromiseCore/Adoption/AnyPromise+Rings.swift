import Synchronization

// Finds out whether an adoption closes a ring (rule 3.2). `self` has just adopted `adopted`. The adoption closes a ring
// if `adopted` waits for `self`, directly or not. There are two ways to search: upwards from `adopted`, along what each
// promise waits for, and downwards from `self`, along the promises that wait for each. Both are tried in turn with
// growing limits, so the cost is that of the shorter way. If adoptions are nested thousands deep, one of the two ways
// is short for each of them, in whatever order they are made.

extension AnyPromise {
  /// Whether `adopted`, which this promise has just adopted, waits for this promise.
  ///
  /// - Complexity: O(min(*n*, *m*)), where *n* is the number of promises for which `adopted` waits, and *m* the number
  ///   of promises, reactions and observers that wait for this promise. O(*n*) if another thread is changing one of the
  ///   lists, or if one of the waiting promises is an input of a combinator.
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

  /// Whether this promise waits for `other`, directly or not. `nil` if the limit was reached first.
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
  /// The search may miss a reaction that is pushed to a list after the list was visited. The pushing thread has
  /// published the edge to the source before, and checks for a ring afterwards. So that thread finds the edge of this
  /// promise in its own search.
  private func search(for other: AnyPromise, lookingAtMost limit: Int) -> Search {
    var found = ShortList(self)
    var count = 0
    while let promise = found.popLast() {
      if promise === other { return .found }
      let state = promise.stateInOrder
      // The reactions of this promise were moved to another promise, or another thread has borrowed them.
      if state.isForwarded || state.isPruning { return .unknown }
      // Nothing waits any more for a promise that is being settled.
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

  /// Calls the body with the newest reactions in the list of this promise. The body must not retain them.
  ///
  /// Borrows the list. Other threads may push reactions and settle this promise meanwhile. Returns `false` if another
  /// thread has the list.
  final func withReactions(atMost limit: Int, _ body: (Reaction) -> Void) -> Bool {
    var old = stateInOrder
    while let (new, newest) = old.beginPruning() {
      // Acquiring: this thread now owns the reactions. Sequentially consistent, as the pushes in `AnyPromise.push` are.
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
    // The list is empty, or this promise was settled meanwhile.
    return !old.isForwarded && !old.isPruning
  }
}

extension Reaction {
  /// Whether this observer, which has no target, may settle a promise all the same. The observers of combinators do.
  /// The caller owns the list.
  fileprivate final var maySettleOthers: Bool {
    traits.isDisjoint(with: [.isNotConsumer, .requests, .forwards]) && !hasContext && !state.isDetached
  }
}
