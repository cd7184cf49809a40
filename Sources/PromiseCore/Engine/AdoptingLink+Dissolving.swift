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
  ///
  /// The consumers move first, all at once; who leaves a promise that was dissolved is taken off the count of the one that it
  /// forwards to (`lostConsumer`), and so knows whether it was the last (rule 4.4), wherever the move has got to.
  final func dissolve(into inner: AnyPromise) -> Bool {
    guard let first = dissolveTarget(into: inner, countedAs: 0) else { return false }
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
  ///
  /// - Parameter count: how many consumers of `inner` this link counts as: 1 if it moves there.
  private func dissolveTarget(into inner: AnyPromise, countedAs count: Int) -> Dissolved? {
    guard elder == nil, holdsTargetAlone, let promise = target, !promise.isProgressObserved else { return nil }
    var old = promise.cellHint
    guard old.consumers > 0, old.move() != nil, promise.kin.setForwardee(inner) else { return nil }
    var moved = count
    while old.consumers > 0, let (new, list) = old.move() {
      moved = inner.changeConsumers(from: moved, to: old.consumers)
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
    _ = inner.changeConsumers(from: moved, to: count)
    promise.kin.unsetForwardee(inner)
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
    if let next = dissolveTarget(into: inner, countedAs: 1) {
      _ = self.inner.retire(old)
      return next
    }
    guard let target else { return nil }
    guard self.inner.endMoving(from: old, to: location(of: inner)) else { return drop(from: old) }
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

extension AnyPromise {
  /// Consumers of a promise that is being dissolved come here, or not after all. Returns how many there are then.
  ///
  /// Some stay: whoever dissolves is going to wait for this promise in any case. So nobody needs to be told to be the last.
  fileprivate final func changeConsumers(from old: Int, to new: Int) -> Int {
    for _ in old..<max(old, new) { gainConsumer() }
    for _ in new..<max(old, new) { lostConsumer(leavingBehind: 0) }
    return new
  }

  /// Nobody waits for this pending promise.
  final var isUnwanted: Bool {
    let state = CellWord(bits: word.load(ordering: .sequentiallyConsistent))
    return !state.isClaimed && !state.isMoved && state.consumers == 0
  }
}
