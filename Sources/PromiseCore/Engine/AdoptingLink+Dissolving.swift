import Synchronization

// A promise that is about to adopt another, that nobody holds, and for which only other adopters wait, is taken out of the
// way: what waited for it waits for the other. This keeps a loop `func step() { p.then { step() } }` flat: the promise of every
// step but the outermost is held by nobody, and only the promise of the step before waits for it (rule 3.3).

extension AdoptingLink {
  /// A promise that was dissolved, kept until nothing refers to it any more, and what waited for it.
  private typealias Dissolved = (promise: AnyPromise, waiting: LinkList)

  /// Dissolves the target of this link, which is about to adopt `inner`. `false`: it is held, or more than adopters wait.
  ///
  /// A promise that was held for a moment when its turn came, by the thread of the step before, is dissolved together
  /// with a later one: so what waits is looked at in turn.
  final func dissolve(into inner: AnyPromise) -> Bool {
    guard let first = dissolveTarget(into: inner) else { return false }
    var dissolved = [first]
    var watches: [ProgressWatch] = []
    while let (promise, list) = dissolved.popLast() {
      var waiting = list
      guard let link = waiting.popFirst() else { continue }
      let next = link.asAdopting.move(from: promise, to: inner)
      if !waiting.isEmpty { dissolved.append((promise, waiting)) }
      if let next { dissolved.append(next) }
      watches += promise.standingProgressWatches
    }
    ProgressWatch.wake(watches)
    return true
  }

  /// The order matters: first the check that nobody holds the promise, then the acquiring exchange that takes the list.
  /// The other way round a link that is attached between the two, by somebody who then lets go, is lost.
  private func dissolveTarget(into inner: AnyPromise) -> Dissolved? {
    guard elder == nil, holdsTargetAlone, let promise = target, !promise.isProgressObserved else { return nil }
    var old = promise.cellHint
    guard old.head != 0, old.move() != nil else { return nil }
    promise.kin.setForwardee(inner)
    while let (new, list) = old.move() {
      // Acquiring: the list becomes ours. Releasing: the promise it forwards to. Sequentially consistent: a watch that comes here
      // registers and then looks whether the promise was moved; we look for watches after this.
      let (exchanged, found) = promise.word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged {
        _ = promise.producer.retire(location(of: self))
        becomeEmpty()
        return (promise, LinkList(newest: list))
      }
      old = CellWord(bits: found)
    }
    promise.kin.unsetForwardee()
    return nil
  }

  /// This forward waited for `promise`, which was dissolved into `inner`: it waits for `inner` from now on, or is dissolved
  /// with its own target.
  ///
  /// While the edge is marked as moving, who ends it leaves the link to us; without the mark, the target could be let go
  /// while it is read here.
  private func move(from promise: AnyPromise, to inner: AnyPromise) -> Dissolved? {
    let old = location(of: promise)
    // `false`: it was left meanwhile, and nothing will come of it.
    guard self.inner.beginMoving(from: old) else { return nil }
    if isTarget(inner) {
      inner.breakRing()
      return drop(from: old)
    }
    if let next = dissolveTarget(into: inner) {
      _ = self.inner.retire(old)
      return next
    }
    guard let target else { return nil }
    inner.gainConsumer()
    guard self.inner.endMoving(from: old, to: location(of: inner)) else {
      inner.lostConsumer(leavingBehind: 0)
      return drop(from: old)
    }
    inner.attach(self, as: .forward)
    target.checkAdoption(of: inner, by: self)
    return nil
  }

  private func drop(from old: UInt64) -> Dissolved? {
    _ = inner.retire(old)
    becomeEmpty()
    return nil
  }
}
