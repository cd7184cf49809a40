// An entry whose handler has returned a promise adopts it: it waits for that promise, and settles as that does (rule
// 2.6).

extension AnyPromise {
  /// Makes an entry, which is running, settle as the promise does that its handler has returned.
  ///
  /// Static, with pointers that own references, because the entry and the promise are tested for uniqueness: no
  /// reference must be counted here that outlives a statement.
  ///
  /// - Parameter source: the settled source of the entry, which is released at the end (rule 6.1).
  @inline(never)
  static func adopt(_ returned: PromisePointer, by entry: PromisePointer, insteadOf source: PromisePointer?) {
    // A client promise must be retained until its owner's promise has counted this consumer, see `ClientPromise.swift`.
    let adopted = returned.with { $0.resolvedPointer }
    defer {
      returned.release()
      source?.release()
    }
    let isRing = adopted == entry
    let (isAdopting, isObserved) = entry.with { entry in adopted.with { entry.beginAdopting($0, insteadOf: source) } }
    guard isAdopting else {
      entry.with { entry in
        if !isRing { adopted.with { entry.giveUpUnadopted($0) } }
        entry.endWithoutSettling()
      }
      return entry.release()
    }
    if isRing {
      _ = entry.with { $0.breakRing() }
      return entry.release()
    }
    if entry.with({ entry in adopted.with { entry.breakRing(throughFinishOf: $0) } }) { return entry.release() }
    entry.with { entry in
      adopted.with { adopted in
        let state = entry.append(to: adopted, looksAgain: true) ?? entry.acquiredState
        // A value was passed to the entry, so nothing else has ended it.
        if !state.isDone || state.isRejected { entry.endLook(at: adopted) }
        entry.checkAdoption(of: adopted, state)
        if isObserved { entry.renewProgressWatch() }
      }
    }
    entry.release()
    adopted.with { $0.resolvedPointer }.with { $0.collapseAdopters() }
  }

  /// Makes this running entry wait for a promise.
  ///
  /// - Returns: `isAdopting` is `false` if the entry was settled meanwhile, or is an observer. Then it is still running.
  ///   `isObserved` is `false` if nothing observes its progress. An observer that comes later sees the adopted promise.
  private func beginAdopting(
    _ adopted: AnyPromise, insteadOf source: PromisePointer?
  ) -> (isAdopting: Bool, isObserved: Bool) {
    let shares: ProgressShares =
      source.map { $0.with { self.shares(after: $0) } } ?? ProgressShares(amount: 0, share: weight)
    var state = lock()
    // An observer has kept the handler of a cancelled promise. It is never settled, and adopts nothing.
    guard state.isPending, !traits.contains(.isObserver) else {
      unlock(state)
      return (false, false)
    }
    unsafe link.pointee.source = PromisePointer(adopted)
    unsafe link.pointee.isToLookAgain = true
    keptShares = shares
    state.stage = .adopting
    let hasSide = side != nil
    unlock(state)
    return (true, hasSide)
  }

  /// Looks at an adoption once more that other threads can see now: whether this promise was cancelled meanwhile, and
  /// whether the adoption closes a ring (rule 3.2).
  ///
  /// - Parameter state: the state of this promise, read under the lock after that (see `Rings.swift`), unless the
  ///   adopted promise was settled.
  private func checkAdoption(of adopted: AnyPromise, _ state: StateWord) {
    if state.isDone {
      if state.isEndedByCall { adopted.resolved.markDutyPassed() }
    } else if state.wasConsumed {
      // Nothing waits for a promise to which nothing was ever attached, so such a promise cannot be part of a ring.
      if isAwaited(by: adopted) { breakRing() }
    }
  }

  /// Gives up a promise that the handler of this promise has returned too late. Its outcome will never be
  /// looked at, so its error must not be reported (rule 4.4).
  final func giveUpUnadopted(_ adopted: AnyPromise) {
    let state = acquiredState
    // An observer runs the handler of a cancelled `always`.
    guard state.isDone && state.isEndedByCall || isObserver else { return }
    let cleanup = adopted.isPromiseOfCleanup ? heldFinish : nil
    // Nothing is left of a settled promise that could be rejected. So if it waits for the cleanup, it is not waited for.
    if let cleanup, !(adopted.resolved.acquiredState.isDone && adopted.waits(for: cleanup)) {
      // It is given up, but waits for the cleanup even so. Passed on before the search, because another thread may close
      // a ring, too (rule 3.2).
      cleanup.hold()
      cleanup.passHold(to: adopted)
      if adopted.waits(for: cleanup), adopted.breakRing() { return }
    }
    adopted.giveUp(
      because: storedError ?? CancellationError(), by: self, examinesError: !hasBegunCleanupAfterValue(adopted))
    if cleanup == nil { holdFinish(untilFinished: adopted) }
  }

  /// Whether this is the promise of a cleanup that a handler has begun. Only links get one, and no client has it.
  final var isPromiseOfCleanup: Bool { relaxedState.isEntry && traits.contains(.awaitsCleanup) }

  /// Whether a promise is that of a cleanup which the handler of this running entry has begun after a value. The error of
  /// such a cleanup is reported in any case (rule 2.10).
  private func hasBegunCleanupAfterValue(_ returned: AnyPromise) -> Bool {
    // Safe, because only then the fields of a link are read.
    guard returned.isPromiseOfCleanup else { return false }
    return unsafe link.pointee.source.map { $0.with { !$0.relaxedState.isRejected } } ?? false
  }

  /// Gives this promise up, as something that never was a consumer. Its outcome will never be looked at.
  ///
  /// - Parameters:
  ///   - promise: the promise of the handler that has returned this one, if there is one.
  ///   - examinesError: whether an error that this promise has already counts as handled (rule 7.1).
  final func giveUp(because reason: any Error, by promise: AnyPromise? = nil, examinesError: Bool = true) {
    var cancellation = Cancellation(because: reason, hooksRun: .elsewhere)
    cancellation.add(Departure(promise: resolved), givingUp: true)
    cancellation.run()
    if examinesError { resolved.markDutyPassed(to: promise) }
  }
}
