// How promises use their finishes: which of them wait for which (rule 2.11). `Finish.swift` has the states.

extension AnyPromise {
  /// The finish of this locked promise, which is made if there is none. The maker's hold is released when the promise
  /// is settled and it is decided for what it waits.
  final var madeFinish: Finish {
    if let finish = side?.finish { return finish }
    let new = Finish(of: self)
    sideTable.finish = new
    return new
  }

  /// The finish of this locked promise, which is not decided yet, with a hold for the caller.
  final var heldMadeFinish: Finish {
    let finish = madeFinish
    finish.hold()
    return finish
  }

  /// Holds the finish of this locked promise, which is being settled, for its awaited hooks.
  final func holdFinishForHooks(afterCancelling isCancelled: Bool) {
    guard let hooks = side?.hooks, !hooks.isEmpty else { return }
    for hook in hooks where hook.isAwaited(afterCancelling: isCancelled) {
      madeFinish.hold()
      if let place = hook.place { madeFinish.note(whileSettling: .hook(place)) }
    }
  }

  /// Whether this settled promise, or the one into which it was collapsed, has finished.
  final var hasFinished: Bool {
    let promise = resolved
    let state = promise.acquiredState
    guard state.isDone else { return false }
    if !state.isUnfinished { return true }
    return promise.locked { promise.side?.finish }?.isEnded ?? !promise.acquiredState.isUnfinished
  }

  /// Calls a function of the library when this promise has finished. It may be called inside this call.
  ///
  /// The function is not a consumer (rule 4.0), and does not handle a rejection (rule 7.1). It must run no code of
  /// clients.
  ///
  /// - Parameter promise: the only promise that needs the function, if there is one. `Finish.whenEnded` says
  ///   when the function is released then.
  /// - Returns: the observer of the settlement. If it is detached before that, the function is not called.
  @discardableResult
  package final func whenFinished(
    neededBy promise: AnyPromise? = nil, _ body: @escaping @Sendable () -> Void
  ) -> AttachedObserver {
    whenSettled(.awaitsFinish) { settled in
      if let finish = settled.unfinished, finish.whenEnded(neededBy: promise, body) { return }
      body()
    }
  }

  /// Calls a function of the library that settles a new promise when this promise has finished. It may be called inside
  /// this call. Once this promise is settled, the new promise shows for what it waits.
  ///
  /// - Returns: the observer of the settlement. If it is detached before that, the function is not called.
  @discardableResult
  package final func whenFinished(
    settling new: AnyPromise, _ body: @escaping @Sendable () -> Void
  ) -> AttachedObserver { whenFinished(settling: new, reading: { _ in }, body) }

  /// Does the same, with what another function has read from the settled promise.
  ///
  /// - Parameter read: called at the settlement, because nothing may retain the promise until its finish.
  @discardableResult
  package final func whenFinished<Reading: Sendable>(
    settling new: AnyPromise, reading read: @escaping @Sendable (_ settled: AnyPromise) -> Reading,
    _ body: @escaping @Sendable (Reading) -> Void
  ) -> AttachedObserver {
    whenSettled(.awaitsFinish) { settled in
      let reading = read(settled)
      if let finish = settled.unfinished {
        new.waitsFor(AwaitedFinish(of: settled, finish))
        if finish.whenEnded(neededBy: new, { body(reading) }) { return }
      }
      body(reading)
    }
  }

  /// Notes that this promise, if it is pending, waits for a finish.
  final func waitsFor(_ awaited: AwaitedFinish) {
    let state = lock()
    let known = Diagnostics.hasEnrollments ? side?.awaited as? AwaitedFinish : nil
    if state.isPending { sideTable.awaited = awaited }
    unlock(state)
    if Diagnostics.hasEnrollments, let promise = awaited.promise?.resolved, promise !== known?.promise {
      note(.waitsForFinish(promise))
    }
  }

  /// Notes that this promise, if it is pending, waits for the finish of another one. If that one waits for this promise,
  /// this one is rejected (rule 3.2).
  package final func waitsForFinish(of other: AnyPromise) {
    let other = other.resolved
    waitsFor(AwaitedFinish(of: other, nil))
    _ = breakRing(throughFinishOf: other)
  }

  /// Makes this pending promise not finish before another one has, whatever settles it (rule 2.11).
  package final func staysUnfinished(until other: AnyPromise) {
    holdFinish()?.passHold(to: other)
  }

  /// Makes this pending promise not finish before those of the given promises have that are settled. The call that
  /// settles this promise may not have fired them yet.
  final func staysUnfinished(untilSettled promises: some Sequence<AnyPromise>) {
    guard Finish.isUsed else { return }
    for promise in promises where promise.resolvedState.isUnfinished { staysUnfinished(until: promise) }
  }

  /// The finish of this settled promise, unless it has ended. It is decided whether there is one.
  ///
  /// Without one, the promise reads as finished from now on, so that no program learns from others first that it is.
  final var unfinished: Finish? {
    guard relaxedState.isUnfinished else { return nil }
    let finish = withState { state in
      if side?.finish == nil { state = state.becomingFinished() }
      return side?.finish
    }
    guard let finish, !finish.isEnded else { return nil }
    return finish
  }

  /// Makes the promise for which an entry waits wait for the finish of this settled promise, too.
  @inline(never)
  final func passFinish(to entry: AnyPromise) {
    // After a cleanup, the entry takes over the outcome of a promise, which may wait for the cleanup itself.
    if entry.traits.contains(.awaitsCleanup), entry.relaxedState.isAdopter { return }
    // Only an adoption can close a ring. It was searched for when the promise was adopted, but that may have been before
    // it was decided for what this promise waits.
    let mayCloseRing = entry.relaxedState.isAdopter || entry.traits.contains(.follows)
    guard let promise = entry.waitingPromise else { return }
    if !passFinish(toPromise: promise, mayCloseRing: mayCloseRing), entry.traits.contains(.follows) {
      // Safe, because only a `Follower` has this trait.
      unsafe unsafeDowncast(entry, to: Follower.self).leave(self)
    }
  }

  /// Makes a promise wait for the finish of this settled promise, too, unless that has ended.
  ///
  /// - Returns: `false` if the promise was settled before. The thread that has settled it decides for what it waits.
  @discardableResult
  final func passFinish(toPromise promise: AnyPromise, mayCloseRing: Bool = true) -> Bool {
    guard let finish = unfinished else { return true }
    guard let waiting = promise.holdFinish() else { return false }
    if mayCloseRing { finish.precedeUnlessRing(waiting) } else { finish.precede(waiting) }
    waiting.release()
    return true
  }

  /// The promise on behalf of which this entry waits. `nil` for an observer, and for a shield, which has finished when
  /// it is settled.
  private final var waitingPromise: AnyPromise? {
    let traits = traits
    if !traits.contains(.isObserver) { return traits.contains(.shields) ? nil : self }
    if traits.contains(.follows) { return unsafe unsafeDowncast(self, to: Follower.self).promise }
    return traits.contains(.isInput) ? unsafe unsafeDowncast(self, to: InputObserver.self).combined : nil
  }

  /// Adds a hold to the finish of this promise. Returns `nil` if the promise is settled.
  final func holdFinish() -> Finish? {
    let state = lock()
    defer { unlock(state) }
    guard state.isPending else { return nil }
    let finish = madeFinish
    finish.hold()
    return finish
  }

  /// Takes the hold that this ended entry has, see `SideTable.holdsFinish`. Under the lock. The caller releases it
  /// outside.
  @inline(__always)
  final func takeHold() -> Finish? {
    guard let side, side.holdsFinish, unsafe !link.pointee.isToLookAgain else { return nil }
    side.holdsFinish = false
    return side.finish
  }

  /// The finish that this entry holds.
  final var heldFinish: Finish? { locked { side?.holdsFinish == true ? side?.finish : nil } }

  /// Makes the finish that this entry holds, if it does, wait for a promise that the entry has given up.
  final func holdFinish(untilFinished promise: AnyPromise) {
    let promise = promise.resolved
    // A pending promise goes on, because others want it. A settled one may wait for this finish. Then nothing is left
    // that could be rejected.
    guard promise.acquiredState.isUnfinished, let finish = heldFinish, !promise.waits(for: finish) else { return }
    finish.hold()
    finish.passHold(to: promise)
  }
}
