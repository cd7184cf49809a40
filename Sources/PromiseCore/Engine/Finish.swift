import Synchronization

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
// with it. `FinishNotes.swift` tells for what a finish waits.

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
  private var notes: [FinishNote] = []
  /// The number of notes at which those are removed that are about deallocated objects.
  private var limitOfNotes = 8
  private var guardedSubject: Subject
  /// The record of the promise in the register of pending promises, from the settlement on.
  private var registration: Registration?

  /// The promise, in words that outlast it.
  var subject: Subject { lock.locked { guardedSubject } }

  /// Describes the promise of a finish.
  struct Subject {
    let site: Site
    let operation: Operation?
    /// The promise is that of a cleanup.
    let isCleanup: Bool
    var label: String?
  }

  /// Creates a finish with one hold, which is released when it is decided for what its promise waits.
  ///
  /// - Parameter promise: is locked.
  init(of promise: AnyPromise) {
    promise.assertLocked()
    Finish.noteUse()
    let traits = promise.relaxedState.isEntry ? promise.traits : []
    guardedSubject = Subject(
      site: promise.site, operation: traits.operation ?? promise.side?.combination?.operation,
      isCleanup: traits.contains(.awaitsCleanup), label: promise.side?.notes?.label)
  }

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

  /// Whether there has ever been a finish. Otherwise each settled promise has finished, and no ring goes through one.
  ///
  /// Relaxed, because a thread that finds an edge under a lock also sees what happened before the edge was written.
  static var isUsed: Bool { use.load(ordering: .relaxed) }
  private static let use = Atomic<Bool>(false)

  static func noteUse() {
    if !isUsed { use.store(true, ordering: .relaxed) }
  }

  var isEnded: Bool { lock.locked { countOfHolds == 0 } }

  /// Adds holds. The caller has one.
  func hold(_ count: Int = 1) {
    lock.locked {
      assert(countOfHolds > 0, "A finish was held after its end.")
      countOfHolds += count
    }
  }

  /// Makes another finish, on which the caller has a hold, wait for this one. The caller has no lock.
  func precede(_ other: Finish) {
    if precedeUnnoted(other) { other.note(.finish(self)) }
  }

  /// Makes another finish, on which the caller has a hold, wait for this one, without a note of it. Does nothing if it is
  /// this one, because a promise that adopts itself does not wait for its own finish (rule 3.2).
  ///
  /// - Returns: `false` if the other finish does not wait.
  @discardableResult
  func precedeUnnoted(_ other: Finish) -> Bool {
    if other === self { return false }
    other.hold()
    let isAdded = lock.locked {
      if countOfHolds == 0 { return false }
      dependents.append(other)
      return true
    }
    // Not the last hold, because the caller has one.
    if !isAdded { _ = other.countDown() }
    return isAdded
  }

  /// Makes another finish, on which the caller has a hold, wait for this one, unless this one waits for that (rule 3.2).
  /// The caller has no lock.
  ///
  /// Two threads may close a ring together. Each notes its edge before it searches. So at least one of them finds the
  /// ring, and takes its edge back.
  func precedeUnlessRing(_ other: Finish) {
    guard precedeUnnoted(other) else { return }
    other.note(.finish(self))
    if waits(for: other) { takeBack(other) }
  }

  private func takeBack(_ other: Finish) {
    let waits = lock.locked {
      guard let index = dependents.lastIndex(where: { $0 === other }) else { return false }
      dependents.remove(at: index)
      return true
    }
    other.removeNote(of: self)
    // Not the last hold, because the caller has one.
    if waits { _ = other.countDown() }
  }

  /// Notes in the finishes that wait for this one, unless it has ended, that they do.
  func noteInDependents() {
    for dependent in lock.locked({ dependents.map(\.self) }) { dependent.note(.finish(self)) }
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

  private typealias End = (
    dependents: [Finish], actions: [@Sendable () -> Void], registration: Registration?
  )

  /// Subtracts a hold. Returns what the end of this finish leads to, if that was the last.
  private func countDown() -> End? {
    lock.locked {
      assert(countOfHolds > 0, "A hold on a finish was released twice.")
      countOfHolds -= 1
      if countOfHolds > 0 { return nil }
      // Released outside the lock.
      defer { (dependents, actions, notes, registration) = ([], [], [], nil) }
      return (dependents, actions, registration)
    }
  }
}

// MARK: - Notes

extension Finish {
  /// Notes for what this finish waits. The caller has no lock.
  func note(_ note: FinishNote) {
    let unneeded = lock.locked {
      notes.append(note)
      return notes.count < limitOfNotes ? [] : removeDeadNotes()
    }
    // Released outside the lock.
    withExtendedLifetime(unneeded) {}
  }

  /// Notes for what this finish waits. The caller has the lock of its promise, which is being settled.
  func note(whileSettling note: FinishNote) { lock.locked { notes.append(note) } }

  /// Removes the notes about objects that were deallocated.
  ///
  /// - Returns: the other objects. The caller must release them outside the lock, because these may be the last
  ///   references.
  private func removeDeadNotes() -> [AnyObject] {
    let objects = notes.map(\.object)
    notes = zip(notes, objects).filter { $0.hook != nil || $1 != nil }.map(\.0)
    limitOfNotes = max(8, 2 * notes.count)
    return objects.compactMap(\.self)
  }

  /// Removes the note of a hook that has returned.
  func removeNote(of hook: HookPlace) {
    lock.locked {
      let sameContext = notes.firstIndex { $0.hook == hook }
      // A context that drops the hook leaves it to another.
      let index = sameContext ?? notes.firstIndex { $0.hook.map { $0.site == hook.site } ?? false }
      if let index { notes.remove(at: index) }
    }
  }

  /// Removes the newest note of another finish.
  func removeNote(of other: Finish) {
    lock.locked {
      let index = notes.lastIndex { note in
        guard case .finish(let noted) = note else { return false }
        return noted.identity == ObjectIdentifier(other)
      }
      if let index { notes.remove(at: index) }
    }
  }

  /// The notes, in the order in which they were made. Some of them may be about things that have ended.
  ///
  /// A copy with a buffer of its own. ThreadSanitizer does not see that a buffer is changed in place only if no other
  /// array shares it any more.
  var currentNotes: [FinishNote] { lock.locked { notes.map(\.self) } }

  /// Notes the label of the promise.
  func setLabel(_ label: String) { lock.locked { guardedSubject.label = label } }

  /// Keeps the record of the promise until this finish has ended. The caller has no lock.
  func keep(_ registration: Registration) {
    lock.locked { if countOfHolds > 0 { self.registration = registration } }
  }

  /// The time since the promise was made, if the register of pending promises has had it.
  var age: Duration? { lock.locked { registration }?.age }
}

// MARK: - Promises

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
  package final func whenFinished(_ body: @escaping @Sendable () -> Void) {
    whenSettled(.awaitsFinish) { settled in settled.whenSettledFinishes(body) }
  }

  /// Calls a function of the library that settles a new promise when this promise has finished. It may be called inside
  /// this call. Once this promise is settled, the new promise shows for what it waits.
  package final func whenFinished(settling new: AnyPromise, _ body: @escaping @Sendable () -> Void) {
    whenFinished(settling: new, reading: { _ in }, body)
  }

  /// Does the same, with what another function has read from the settled promise.
  ///
  /// - Parameter read: called at the settlement, because nothing may retain the promise until its finish.
  package final func whenFinished<Reading: Sendable>(
    settling new: AnyPromise, reading read: @escaping @Sendable (_ settled: AnyPromise) -> Reading,
    _ body: @escaping @Sendable (Reading) -> Void
  ) {
    whenSettled(.awaitsFinish) { settled in
      let reading = read(settled)
      if let finish = settled.unfinished {
        new.waitsFor(AwaitedFinish(of: settled, finish))
        if finish.whenEnded({ body(reading) }) { return }
      }
      body(reading)
    }
  }

  /// Notes that this promise, if it is pending, waits for a finish.
  final func waitsFor(_ awaited: AwaitedFinish) {
    let state = lock()
    if state.isPending { sideTable.awaited = awaited }
    unlock(state)
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
    // Only an adoption can close a ring. It was searched for when the promise was adopted, but that may have been before
    // it was decided for what this promise waits.
    let mayCloseRing = entry.relaxedState.isAdopter || entry.traits.contains(.follows)
    if let promise = entry.waitingPromise { passFinish(toPromise: promise, mayCloseRing: mayCloseRing) }
  }

  final func passFinish(toPromise promise: AnyPromise, mayCloseRing: Bool = true) {
    // The thread that has settled it meanwhile has decided for what it waits.
    guard let finish = unfinished, let waiting = promise.holdFinish() else { return }
    if mayCloseRing { finish.precedeUnlessRing(waiting) } else { finish.precede(waiting) }
    waiting.release()
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
