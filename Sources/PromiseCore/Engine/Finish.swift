// A promise that is settled may not have *finished*: something for which it stands still runs (rule 2.11).
//
//                     settled by a cancellation                     decided                        finish ends
//     pending ─┬───────────────────────────────────▶ undecided ─┬─────────────▶ unfinished ─────────────────▶ finished
//              │                                                └────────────────────────────────────────────▶ finished
//              │      settled, after a source that has not finished
//              ├───────────────────────────────────────────────────────────▶ unfinished
//              └──────────────────────────────────────────────────────────────────────────────────────────▶ finished
//
// The state word of an *undecided* or an *unfinished* promise has the bit `unfinished`. An unfinished promise has a
// `Finish` in its side table. It is decided which promises have finished when a cancellation has settled everything
// that it settles, and before it fires anything. An undecided promise is not closed. So an entry that is attached to it
// is fired after the decision, and finds out then what the promise waits for.
//
//     promise ──side table──▶ finish ◀── what still runs: a handler, a hook, a Task, a cleanup
//                               │
//                               └─────▶ finishes of the promises that waited for this one         (──▶ retains)
//
// Nothing points from a finish to its promise. So a promise whose work never ends can be deallocated, and its values
// with it.

/// What a settled promise that has not finished waits for: things that still run, each of which has a *hold*, and
/// other finishes.
///
/// Its lock is a leaf: no other lock is acquired under it. It may be acquired under the lock of a promise.
///
/// `@unchecked Sendable`, because the fields are accessed under the lock only.
final class Finish: @unchecked Sendable {
  private let lock = ShortLock()
  /// The number of holds, and of the finishes for which this one waits.
  private var countOfHolds = 1
  private var dependents: [Finish] = []
  private var actions: [@Sendable () -> Void] = []

  /// Creates a finish with one hold, which is released when it is decided for what its promise waits.
  init() {}

  deinit {
    // Something that had a hold was deallocated. A chain of finishes is released in a loop (rule 6.4).
    var left = dependents
    dependents = []
    while var next = left.popLast() {
      if isKnownUniquelyReferenced(&next) { left += next.takeDependents() }
    }
  }

  private func takeDependents() -> [Finish] {
    defer { dependents = [] }
    return dependents
  }

  var isEnded: Bool { lock.locked { countOfHolds == 0 } }

  /// Adds holds. The caller has one.
  func hold(_ count: Int = 1) {
    lock.locked {
      assert(countOfHolds > 0, "A finish was held after its end.")
      countOfHolds += count
    }
  }

  /// Makes another finish, on which the caller has a hold, wait for this one.
  func precede(_ other: Finish) {
    other.hold()
    let isAdded = lock.locked {
      if countOfHolds == 0 { return false }
      dependents.append(other)
      return true
    }
    // Not the last hold, because the caller has one.
    if !isAdded { _ = other.countDown() }
  }

  /// Calls a function of the library when the finish ends. Returns `false`, and does nothing, if it has ended.
  func whenEnded(_ action: @escaping @Sendable () -> Void) -> Bool {
    lock.locked {
      if countOfHolds == 0 { return false }
      actions.append(action)
      return true
    }
  }

  /// Releases a hold. If it was the last, ends this finish, and those that have waited for nothing else, in a loop
  /// (rule 6.4).
  func release() {
    guard let first = countDown(), !(first.dependents.isEmpty && first.actions.isEmpty) else { return }
    var ends = WorkQueue<End>()
    ends.append(first)
    while let end = ends.popFirst() {
      for dependent in end.dependents {
        if let next = dependent.countDown() { ends.append(next) }
      }
      for action in end.actions { UnnestedWork.settle(action) }
    }
  }

  private typealias End = (dependents: [Finish], actions: [@Sendable () -> Void])

  /// Subtracts a hold. Returns what the end of this finish leads to, if that was the last.
  private func countDown() -> End? {
    lock.locked {
      assert(countOfHolds > 0, "A hold on a finish was released twice.")
      countOfHolds -= 1
      if countOfHolds > 0 { return nil }
      defer { (dependents, actions) = ([], []) }
      return (dependents, actions)
    }
  }
}

// MARK: - Promises

extension SideTable {
  /// The finish, which is made if there is none. The maker's hold is released when the promise is settled and it is
  /// decided for what it waits.
  var madeFinish: Finish {
    if let finish { return finish }
    let new = Finish()
    finish = new
    return new
  }

  /// The number of holds that the finish needs for hooks.
  func countOfAwaitedHooks(afterCancelling isCancelled: Bool) -> Int {
    var count = 0
    for hook in hooks where hook.isAwaited(afterCancelling: isCancelled) { count += 1 }
    return count
  }
}

extension AnyPromise {
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
  package final func whenFinished(_ body: @escaping @Sendable () -> Void) {
    whenSettled { settled in settled.whenSettledFinishes(body) }
  }

  /// Makes this pending promise not finish before another one has, whatever settles it (rule 2.11).
  package final func staysUnfinished(until other: AnyPromise) {
    guard let finish = holdFinish() else { return }
    other.whenFinished { finish.release() }
  }

  /// Makes this pending promise not finish before those of the given promises have that are settled. The call that
  /// settles this promise may not have fired them yet.
  final func staysUnfinished(untilSettled promises: some Sequence<AnyPromise>) {
    for promise in promises where promise.resolvedState.isUnfinished { staysUnfinished(until: promise) }
  }

  /// Makes this promise, if it is cancelled, not finish before a cleanup has, which goes on then (rule 2.11).
  package final func finishWaits(for cleanup: AnyPromise) {
    register(OwnerHook(action: .awaitedWithin { cleanup }), isOwnersCall: false)
  }

  /// Calls a function of the library when this promise has finished, which is settled and decided.
  private func whenSettledFinishes(_ body: @escaping @Sendable () -> Void) {
    if let finish = unfinished, finish.whenEnded(body) { return }
    body()
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
    if let promise = entry.waitingPromise { passFinish(toPromise: promise) }
  }

  final func passFinish(toPromise promise: AnyPromise) {
    guard let finish = unfinished else { return }
    let state = promise.lock()
    // Whoever has settled it meanwhile has decided for what it waits.
    if state.isPending { finish.precede(promise.sideTable.madeFinish) }
    promise.unlock(state)
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
    let finish = sideTable.madeFinish
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

  /// Makes the finish that this entry holds, if it does, wait for a promise that the entry has given up.
  final func holdFinish(untilFinished promise: AnyPromise) {
    let promise = promise.resolved
    // A pending promise goes on, because others want it.
    guard promise.acquiredState.isUnfinished, let finish = locked({ side?.holdsFinish == true ? side?.finish : nil })
    else { return }
    finish.hold()
    promise.whenFinished { finish.release() }
  }
}
