// Finds out whether an adoption closes a ring (rule 3.2). `self` has just adopted `adopted`. The adoption closes a ring
// if `adopted` waits for `self`, directly or not. There are two ways to search: upwards from `adopted`, along what each
// promise waits for, and downwards from `self`, along the entries that wait for each. Both are tried in turn with
// growing limits, so the cost is that of the shorter way. If adoptions are nested thousands deep, one of the two ways
// is short for each of them, in whatever order they are made.
//
// Two threads may close a ring together. Each has written its edge under a lock before it searches, and reads the other
// edge under the same lock as the other thread has written it. So at least one of them finds the ring.
//
// A settled promise waits for nothing, but has not finished before what it stands for has (rule 2.11). So a ring may go
// through settled promises. The notes of their finishes (`FinishNotes.swift`) are the edges there. The way downwards
// ends at observers of a finish, and then the way upwards decides.

extension AnyPromise {
  /// Whether `adopted`, which this promise has just adopted, waits for this promise.
  ///
  /// - Complexity: O(min(*n*, *m*)), where *n* is the number of promises for which `adopted` waits, directly or not,
  ///   and *m* the number of entries that wait for this promise. O(*n*) if something waits for the finish of one of
  ///   the latter, because the way downwards ends there.
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
    guard state.isEntry, state.isPending, state.stage == .scheduled || state.stage == .running else { return false }
    // Otherwise its source has not finished.
    return !Finish.isUsed || locked { side?.finish == nil }
  }

  /// Whether this promise waits for `other`, directly or not. `nil` if the limit was reached first.
  final func waits(for other: AnyPromise, lookingAtMost limit: Int) -> Bool? {
    var isFound = false
    var count = 0
    forEachAwaited { promise in
      isFound = promise === other
      count += 1
      return isFound || count > limit ? .stop : .goOn
    }
    return isFound ? true : count > limit ? nil : false
  }

  /// Whether a settled promise that this finish belongs to would wait for itself, if it waited for this promise.
  final func waits(for finish: Finish) -> Bool { forEachAwaited { _ in .goOn }.contains(ObjectIdentifier(finish)) }

  /// Makes this entry, which is about to adopt a settled promise, fail if that has not finished before this one has.
  ///
  /// - Returns: whether it has failed.
  final func breakRing(throughFinishOf adopted: AnyPromise) -> Bool {
    guard adopted.acquiredState.isUnfinished, relaxedState.wasConsumed,
      adopted.waits(for: self, lookingAtMost: .max) == true
    else { return false }
    return breakRing(through: adopted)
  }

  /// What a walk does after a promise.
  enum Walk { case goOn, turnBack, stop }

  /// Calls the body with this promise and with everything for which it waits, directly or not. Does not look beyond a
  /// promise for which the body returns `turnBack`.
  ///
  /// - Returns: the finishes of settled promises on the way.
  /// - Complexity: O(*n*), where *n* is the number of calls of the body and of these finishes.
  @inline(__always) @discardableResult
  final func forEachAwaited(_ body: (AnyPromise) -> Walk) -> Set<ObjectIdentifier> {
    var found = [self]
    // The inputs that are still to be visited, because a combination may have more of them than the walk visits.
    var inputs: [RemainingInputs] = []
    // Used only where paths diverge and may meet again.
    var visited: Set<ObjectIdentifier> = []
    var finishes: Set<ObjectIdentifier> = []
    while let promise = found.popLast() ?? inputs.popInput() {
      switch body(promise) {
      case .goOn: break
      case .turnBack: continue
      case .stop: return finishes
      }
      let mayMeet = !found.isEmpty || !inputs.isEmpty || !visited.isEmpty
      if mayMeet, !visited.insert(ObjectIdentifier(promise)).inserted { continue }
      if let combination = promise.appendAwaitedSources(to: &found) {
        inputs.append(RemainingInputs(combination: combination))
      }
      if Finish.isUsed { promise.appendAwaitedByFinish(to: &found, &finishes) }
    }
    return finishes
  }

  /// Appends the promises that must have finished before this one has, and that are not appended as sources.
  ///
  /// - Parameter visited: the finishes that were visited.
  @inline(never)
  final func appendAwaitedByFinish(to promises: inout [AnyPromise], _ visited: inout Set<ObjectIdentifier>) {
    let (finish, awaited) = locked { (side?.finish, side?.awaited as? AwaitedFinish) }
    finish?.appendAwaited(to: &promises, &visited)
    awaited?.append(to: &promises, &visited)
  }

  /// Appends the promises for which this promise waits itself.
  final func appendAwaited(to promises: inout [AnyPromise]) {
    if let combination = appendAwaitedSources(to: &promises) { promises += combination.inputs }
  }

  /// Appends the promises for which this promise waits itself, except the inputs of its combination, which is returned.
  private func appendAwaitedSources(to promises: inout [AnyPromise]) -> Combination? {
    let state = lock()
    // After a cleanup, a promise takes over the outcome of a settled one, and does not wait for its finish.
    let takesOver = state.isAdopter && traits.contains(.awaitsCleanup)
    let source = state.isEntry && state.isPending && !takesOver ? unsafe link.pointee.source?.strong : nil
    let follows = state.isPending ? side?.follows ?? [] : []
    let combination = state.isPending ? side?.combination : nil
    unlock(state)
    if state.isForwarded { promises.append(forwardee) }
    if let source { promises.append(source) }
    for follow in follows { if let source = follow.waitingSource { promises.append(source) } }
    return combination
  }

  /// The promise for which this entry waits.
  final var waitingSource: AnyPromise? { locked { unsafe link.pointee.source?.strong } }

  private enum Search { case found, notBelow, limitReached, unknown }

  /// Looks for `other` among the pending promises that wait for this one.
  private func search(for other: AnyPromise, lookingAtMost limit: Int) -> Search {
    var found = [self]
    var count = 0
    var isFinishAwaited = false
    while let next = found.popLast() {
      // The result of a combination waits for its inputs. An observer that has run does not wait any more.
      guard let promise = next.isInputObserver ? next.combinedResult : next else { continue }
      if promise === other { return .found }
      let state = promise.lock()
      if state.isPending {
        for entry in promise.list.lazy.map(\.strong) {
          count += 1
          let traits = entry.traits
          if traits.contains(.follows) {
            // Safe, because only a `Follower` has this trait.
            found.append(unsafe unsafeDowncast(entry, to: Follower.self).promise)
          } else if !traits.contains(.isObserver) || traits.contains(.isInput) {
            found.append(entry)
          } else if traits.contains(.awaitsFinish) {
            isFinishAwaited = true
          }
          if count >= limit { break }
        }
      }
      promise.unlock(state)
      // The entries of a collapsed promise were moved to another one. Settled promises have no entries.
      if state.isForwarded || isFinishAwaited { return .unknown }
      if count >= limit { return .limitReached }
    }
    return .notBelow
  }
}

extension AnyPromise {
  private var isInputObserver: Bool { relaxedState.isEntry && traits.contains(.isInput) }

  /// The result of the combination that observes an input by this entry, if it may still wait for the input.
  private var combinedResult: AnyPromise? { unsafe unsafeDowncast(self, to: InputObserver.self).combined }
}

/// The inputs of a combination that a walk has not visited yet.
private struct RemainingInputs {
  let combination: Combination
  var next = 0

  mutating func pop() -> AnyPromise? {
    guard next < combination.inputs.count else { return nil }
    defer { next += 1 }
    return combination.inputs[next]
  }
}

extension [RemainingInputs] {
  /// Removes and returns the next input of the last combination.
  fileprivate mutating func popInput() -> AnyPromise? {
    while let last = indices.last {
      if let input = self[last].pop() { return input }
      removeLast()
    }
    return nil
  }
}

extension StateWord {
  /// An entry was attached to the promise at some time, and may still be there. Otherwise nothing waits for the
  /// promise.
  var wasConsumed: Bool { !hasOnlyMovableEntries || consumers > 0 }
}
