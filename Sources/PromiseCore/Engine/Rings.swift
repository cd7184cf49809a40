// Finds out whether an adoption closes a ring (rule 3.2). `self` has just adopted `adopted`. The adoption closes a ring
// if `adopted` waits for `self`, directly or not. There are two ways to search: upwards from `adopted`, along what each
// promise waits for, and downwards from `self`, along the entries that wait for each. Both are tried in turn with
// growing limits, so the cost is that of the shorter way. If adoptions are nested thousands deep, one of the two ways
// is short for each of them, in whatever order they are made.
//
// Two threads may close a ring together. Each has written its edge under a lock before it searches, and reads the other
// edge under the same lock as the other thread has written it. So at least one of them finds the ring.

extension AnyPromise {
  /// Whether `adopted`, which this promise has just adopted, waits for this promise.
  ///
  /// - Complexity: O(min(*n*, *m*)), where *n* is the number of promises for which `adopted` waits, and *m* the number
  ///   of entries that wait for this promise. O(*n*) if one of the waiting promises is an input of a combinator.
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

  /// This promise waits only for its handler, whose source is settled already. Loops mostly return such promises. (An
  /// entry follows nothing, and is no result of a combination.)
  private var waitsForHandlerAlone: Bool {
    let state = acquiredState
    return state.isEntry && state.isPending && (state.stage == .scheduled || state.stage == .running)
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

  /// Calls the body with this promise and with everything for which it waits, directly or not. Does not look beyond a
  /// promise for which the body returns `false`.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises visited.
  @inline(__always)
  final func forEachAwaited(_ body: (AnyPromise) -> Bool) {
    var found = [self]
    // Used only where paths diverge and may meet again.
    var visited: Set<ObjectIdentifier> = []
    while let promise = found.popLast() {
      guard body(promise) else { continue }
      if !found.isEmpty || !visited.isEmpty, !visited.insert(ObjectIdentifier(promise)).inserted { continue }
      promise.appendAwaited(to: &found)
    }
  }

  /// Appends the promises for which this promise waits itself.
  final func appendAwaited(to promises: inout [AnyPromise]) {
    let state = lock()
    let source = state.isEntry && state.isPending ? unsafe link.pointee.source?.strong : nil
    let (follows, combination) = state.isPending ? (side?.follows ?? [], side?.combination) : ([], nil)
    unlock(state)
    if state.isForwarded { promises.append(forwardee) }
    if let source { promises.append(source) }
    for follow in follows { if let source = follow.waitingSource { promises.append(source) } }
    if let combination { promises += combination.inputs }
  }

  /// The promise for which this entry waits.
  final var waitingSource: AnyPromise? { locked { unsafe link.pointee.source?.strong } }

  private enum Search { case found, notBelow, limitReached, unknown }

  /// Looks for `other` among the pending promises that wait for this one.
  private func search(for other: AnyPromise, lookingAtMost limit: Int) -> Search {
    var found = [self]
    var count = 0
    while let promise = found.popLast() {
      if promise === other { return .found }
      var isUnknown = false
      let state = promise.lock()
      if state.isPending {
        promise.list.visit { entry in
          count += 1
          let traits = entry.traits
          if traits.contains(.follows) {
            found.append(unsafe unsafeDowncast(entry, to: Follower.self).promise)
          } else if !traits.contains(.isObserver) {
            found.append(entry)
          } else if traits.contains(.isInput) {
            isUnknown = true
          }
          return count < limit && !isUnknown
        }
      }
      promise.unlock(state)
      // The entries of a collapsed promise were moved to another one.
      if state.isForwarded || isUnknown { return .unknown }
      if count >= limit { return .limitReached }
    }
    return .notBelow
  }
}

extension StateWord {
  /// An entry was attached to the promise at some time, and may still be there. Otherwise nothing waits for the
  /// promise.
  var wasConsumed: Bool { !hasOnlyMovableEntries || consumers > 0 }
}
