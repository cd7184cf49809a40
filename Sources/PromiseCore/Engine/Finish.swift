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
// Nothing points from a finish to its promise, so a promise whose work never ends can be deallocated, and its values
// with it. There is one exception: a cleanup that waits for the finish keeps its source, which was cancelled and has no
// value. `FinishNotes.swift` tells for what a finish waits.

/// What a settled promise that has not finished waits for: things that still run, each of which has a *hold*, and
/// other finishes.
///
/// Its lock is a leaf: no other lock is acquired under it. It may be acquired under the lock of a promise.
///
/// `@unchecked Sendable`, because the fields are accessed under the lock only.
final class Finish: @unchecked Sendable {
  private let lock = ShortLock()
  /// The number of dependents at which those are removed that are not needed any more. Here, where it takes no memory.
  private var limitOfDependents: UInt32 = 8
  /// The number of holds, and of the finishes for which this one waits.
  private var countOfHolds = 1
  private var dependents: [Finish] = []
  private var actions: [Action] = []
  private var notes: [FinishNote] = []
  /// The number of actions at which those are removed that are not needed any more.
  private var limitOfActions: UInt32 = 8
  /// The number of notes at which those are removed that are about deallocated objects.
  private var limitOfNotes: UInt32 = 8
  private var guardedSubject: Subject
  /// Receives the notes about promises. `nil` unless the promise is recorded.
  private var record: FinishRecord?
  /// The record of the promise in the register of pending promises, from the settlement on.
  private var enrollment: Enrollment?

  /// The promise, in words that outlast it.
  var subject: Subject { lock.locked { guardedSubject } }

  /// A function of the library for the end of a finish. (A tuple would wrap the function anew at each copy.)
  private struct Action {
    /// The promise that needs the function until it is settled. `nil` if the function is always needed.
    let promise: AnyPromise?
    let body: @Sendable () -> Void
  }

  /// Describes the promise of a finish.
  struct Subject {
    let site: Site
    let operation: Operation?
    /// The promise is that of a cleanup.
    let isCleanup: Bool
    var isDeallocated = false
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

  /// Whether there are more holds than a number of them that the caller knows.
  func isHeld(besides count: Int) -> Bool { lock.locked { countOfHolds > count } }

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

  /// Makes another finish, on which the caller has a hold, wait for this one, without a note of it. Does nothing if it
  /// is this one, because a promise that adopts itself does not wait for its own finish (rule 3.2).
  ///
  /// - Returns: `false` if the other finish does not wait.
  @inline(never) @discardableResult
  func precedeUnnoted(_ other: Finish) -> Bool {
    if other === self { return false }
    other.hold()
    let (isAdded, areMany) = lock.locked {
      if countOfHolds == 0 { return (false, false) }
      dependents.append(other)
      return (true, dependents.count >= limitOfDependents)
    }
    if areMany { removeUnneededDependents() }
    // Not the last hold, because the caller has one.
    if !isAdded { _ = other.countDown() }
    return isAdded
  }

  /// Removes the finishes for whose end nothing waits and nothing ever can: those of deallocated promises. A promise
  /// whose work goes on would gather those of everything that was ever attached to it (rule 4.9). The caller has no lock.
  private func removeUnneededDependents() {
    // So that a call takes no longer than the calls of `precede` since the last one.
    var budget = 64 + 4 * lock.locked { dependents.count }
    removeUnneededDependents(atMost: 32, &budget)
  }

  /// - Parameters:
  ///   - depth: the greatest number of finishes behind each other that are examined.
  ///   - budget: the number of finishes that may still be examined.
  private func removeUnneededDependents(atMost depth: Int, _ budget: inout Int) {
    var unneeded: Set<ObjectIdentifier> = []
    // A copy with a buffer of its own, see `currentNotes`. Retained to the end, so that no other finish gets the
    // identity of one of these.
    let copy = lock.locked { dependents.map(\.self) }
    for dependent in copy {
      budget -= 1
      if budget < 0 { break }
      if dependent.isUnneeded(lookingAtMost: depth, &budget) { unneeded.insert(ObjectIdentifier(dependent)) }
    }
    let old = lock.locked {
      let old = dependents
      if !unneeded.isEmpty { dependents = old.filter { !unneeded.contains(ObjectIdentifier($0)) } }
      limitOfDependents = UInt32(clamping: max(8, 2 * dependents.count))
      return old
    }
    // Released outside the lock.
    withExtendedLifetime((copy, old)) {}
  }

  /// Whether nothing waits for the end of this finish, and nothing ever can. Once this is `true`, it stays so.
  private func isUnneeded(lookingAtMost depth: Int, _ budget: inout Int) -> Bool {
    let mayBe = lock.locked { guardedSubject.isDeallocated && enrollment == nil && !needsActions }
    guard mayBe else { return false }
    if depth > 1, lock.locked({ !dependents.isEmpty }) { removeUnneededDependents(atMost: depth - 1, &budget) }
    return lock.locked { dependents.isEmpty && enrollment == nil && !needsActions }
  }

  /// Whether a promise is still pending for which there is an action. The caller has the lock.
  private var needsActions: Bool { actions.contains { $0.promise?.relaxedState.isDone != true } }

  /// Notes that the promise was deallocated, so that nothing can begin to wait for the end any more.
  func promiseWasDeallocated() { lock.locked { guardedSubject.isDeallocated = true } }

  /// Makes another finish, on which the caller has a hold, wait for this one, unless this one waits for that (rule
  /// 3.2). The caller has no lock.
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
  ///
  /// - Parameter promise: the only promise that needs the function, if there is one. After it is settled, a later call of
  ///   this method releases the function, at the latest when the number of functions has doubled (rule 4.9).
  func whenEnded(neededBy promise: AnyPromise? = nil, _ body: @escaping @Sendable () -> Void) -> Bool {
    let (isAdded, old) = lock.locked {
      if countOfHolds == 0 { return (false, [] as [Action]) }
      actions.append(Action(promise: promise, body: body))
      return (true, actions.count < limitOfActions ? [] : removeUnneededActions())
    }
    // Released outside the lock.
    withExtendedLifetime(old) {}
    return isAdded
  }

  /// - Returns: the former actions. The caller must release them outside the lock.
  private func removeUnneededActions() -> [Action] {
    let old = actions
    actions = []
    for action in old where action.promise?.relaxedState.isDone != true { actions.append(action) }
    limitOfActions = UInt32(clamping: max(8, 2 * actions.count))
    return old
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
      for action in end.actions { UnnestedWork.settle(action.body) }
    }
  }

  private typealias End = (
    dependents: [Finish], actions: [Action], enrollment: Enrollment?
  )

  /// Subtracts a hold. Returns what the end of this finish leads to, if that was the last.
  private func countDown() -> End? {
    lock.locked {
      assert(countOfHolds > 0, "A hold on a finish was released twice.")
      countOfHolds -= 1
      if countOfHolds > 0 { return nil }
      // Released outside the lock.
      defer {
        dependents = []
        actions = []
        notes = []
        enrollment = nil
      }
      return (dependents, actions, enrollment)
    }
  }
}

// MARK: - Notes

extension Finish {
  /// Notes for what this finish waits. The caller has no lock.
  func note(_ note: FinishNote) {
    let (unneeded, record): ([AnyObject], FinishRecord?) = lock.locked {
      notes.append(note)
      return (notes.count < limitOfNotes ? [] : removeDeadNotes(), self.record)
    }
    // Released outside the lock.
    withExtendedLifetime(unneeded) { record?.report(note) }
  }

  /// Notes for what this finish waits. The caller has the lock of its promise, which is being settled.
  func note(whileSettling note: FinishNote) { lock.locked { notes.append(note) } }

  /// Removes the notes about objects that were deallocated.
  ///
  /// - Returns: the other objects. The caller must release them outside the lock, because these may be the last
  ///   references.
  private func removeDeadNotes() -> [AnyObject] {
    var remaining: [FinishNote] = []
    var objects: [AnyObject] = []
    for note in notes {
      if let object = note.object {
        objects.append(object)
      } else if note.hook == nil {
        continue
      }
      remaining.append(note)
    }
    notes = remaining
    limitOfNotes = UInt32(clamping: max(8, 2 * notes.count))
    return objects
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

  /// Reports the promises for which this finish waits to a recorder, now and later. The caller has no lock.
  func report(to record: FinishRecord) {
    let known = lock.locked {
      self.record = record
      return notes.map(\.self)
    }
    for note in known { record.report(note) }
  }

  /// Notes the label of the promise.
  func setLabel(_ label: String) { lock.locked { guardedSubject.label = label } }

  /// Keeps the record of the promise until this finish has ended. The caller has no lock.
  func keep(_ enrollment: Enrollment) {
    lock.locked { if countOfHolds > 0 { self.enrollment = enrollment } }
  }

  /// The time since the promise was made, if the register of pending promises has had it.
  var age: Duration? { lock.locked { enrollment }?.age }
}
