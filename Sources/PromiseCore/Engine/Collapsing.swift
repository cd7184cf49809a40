// Collapsing removes a promise that has adopted another, if only the list of that one retains it, and if only adopters
// and followers wait for it. These then wait for the other promise instead. This keeps the loop
// `func step() { p.then { step() } }` flat (rule 3.3). In such a loop nothing retains the promise of any step but the
// outermost, and only the promise of the previous step waits for it.
//
// A program may retain the promises of the last steps of a loop and release them later. Therefore each adoption looks
// past a few adopters that are retained.

extension AnyPromise {
  /// Collapses adopters that wait for this promise, directly or not, and that nothing else retains. Looks past at most
  /// 16 others.
  final func collapseAdopters() {
    var next: AnyPromise?
    while collapseNewestAdopter(orFind: &next) {}
    for _ in 0..<16 {
      guard let promise = next.take() else { return }
      while promise.collapseNewestAdopter(orFind: &next) {}
    }
  }

  /// Collapses the newest adopter of this promise into this promise, if nothing but the list retains it, and if no
  /// other thread has its lock.
  ///
  /// - Parameter next: if nothing was collapsed, the newest entry of this promise, if it may have such an adopter
  ///   itself.
  /// - Returns: whether another adopter of this promise may be collapsed now.
  private func collapseNewestAdopter(orFind next: inout AnyPromise?) -> Bool {
    let state = lock()
    guard state.isPending, let last = list.last else {
      unlock(state)
      return false
    }
    // Uniqueness is tested first, and by a pointer, because any variable would count a reference in a debug build.
    guard last.isUnique, let moved = last.with({ collapse($0, state) }) else {
      next = last.with { $0.isAwaitedAdopter ? $0 : nil }
      unlock(state)
      return false
    }
    if Diagnostics.recordsRejectionTrails { last.with { $0.noteBypassed(by: [moved.first] + (moved.others ?? [])) } }
    moved.first.resolveSource(insteadOf: moved.replaced)
    if let others = moved.others { for entry in others { entry.resolveSource(insteadOf: moved.replaced) } }
    // The reference that was the list's until now.
    last.release()
    if let watches = moved.watches { ProgressWatch.wake(watches) }
    return moved.others?.last?.isAwaitedAdopter ?? moved.first.isAwaitedAdopter
  }

  /// Whether this promise is an adopter for which others wait. Relaxed, because this only decides whether it is
  /// worthwhile to look there.
  private var isAwaitedAdopter: Bool {
    let state = relaxedState
    return state.isAdopter && state.consumers > 0
  }

  /// A promise for which more entries wait is not collapsed, because each step of a loop would move all of them again.
  /// It stays where it is, and the promises of later steps are collapsed between it and the current step.
  private static var mostMoved: Int { 16 }

  /// The entries of a collapsed promise, which now wait for another one, the progress that it had and left for that one,
  /// and the watches of its progress. There are usually no `others`.
  private typealias Moved = (
    first: AnyPromise, others: [AnyPromise]?, replaced: ProgressShares, watches: [ProgressWatch]?
  )

  /// Moves the entries of `adopter` into the list of this locked promise, in its place, and ends the section. Returns
  /// `nil`, and keeps the lock, if that is not possible.
  private func collapse(_ adopter: AnyPromise, _ state: StateWord) -> Moved? {
    // A look without the lock. Most adopters are not waited for.
    let early = adopter.relaxedState
    guard early.isAdopter, early.isPending, early.hasOnlyMovableEntries, early.consumers > 0,
      early.consumers <= Self.mostMoved
    else { return nil }
    // In a ring of adoptions another thread may hold that lock and wait for this one.
    guard let theirs = adopter.tryLock() else { return nil }
    guard theirs.isAdopter, theirs.isPending, theirs.hasOnlyMovableEntries, theirs.consumers <= Self.mostMoved,
      adopter.isReplaceable(theirs), !isIn(adopter.list), let first = adopter.list.first?.strong
    else {
      adopter.unlock(theirs)
      return nil
    }
    let others = adopter.list.hasOne ? nil : adopter.list.dropFirst().map(\.strong)
    let watches = adopter.side?.progress.dependentWatches
    let replaced = adopter.keptShares.scaled(by: 1 / adopter.weight)
    list.replace(adopter, by: adopter.list)
    adopter.list = EntryList()
    adopter.forward(to: self)
    unsafe adopter.link.pointee.source = nil
    var forwarded = theirs.becomingForwarded()
    forwarded.stage = .ended
    // Before the reference of the list is released, see `Tour.swift`.
    adopter.unlock(adopter.place(EntryList(), forwarded))
    unlock(state.removingConsumer().addingConsumers(1 + (others?.count ?? 0)))
    return (first, others, replaced, watches)
  }

  /// Whether this promise, which need not be an entry, is in a list. Retains nothing.
  private func isIn(_ list: EntryList) -> Bool { list.contains { $0 == PromisePointer(self) } }

  /// Makes this entry name the promise in whose list it is now as its source, because its source was collapsed.
  ///
  /// Until then, a thread that ends it finds the collapsed promise, and from there the other one. If two promises are
  /// collapsed one after the other, either thread may come first, so each names the last one.
  ///
  /// - Parameter replaced: the progress of the collapsed promise, and the share that it left for the other one, each as
  ///   a fraction. An adopter gets them within its own share (rule 5.4).
  private func resolveSource(insteadOf replaced: ProgressShares) {
    withState { state in
      guard state.stage == .adopting || state.stage == .waiting, let source = unsafe link.pointee.source else { return }
      unsafe link.pointee.source = source.with { $0.resolvedPointer }
      if state.isPending, state.isAdopter { keptShares = keptShares.entering(replaced) }
    }
  }

  /// Whether only the outcome of this locked promise is needed, so that another promise may take its place. Otherwise
  /// its progress is observed, its owner has added hooks (rule 4.5), its owner observes its clients (rule 4.6), or a
  /// source of it has not finished (rule 2.11).
  private func isReplaceable(_ state: StateWord) -> Bool {
    if state.isObservingClients { return false }
    guard let side else { return true }
    return !side.progress.isObserved && side.hooks.isEmpty && side.follows.isEmpty && side.combination == nil
      && side.finish == nil
  }
}

extension PromisePointer {
  /// Whether the reference for which this pointer stands is the only one. Weak references do not count.
  fileprivate var isUnique: Bool {
    var promise = takeStrong()
    let isUnique = isKnownUniquelyReferenced(&promise)
    // Safe, because this gives back the reference that was taken.
    _ = unsafe Unmanaged.passRetained(promise)
    return isUnique
  }
}
