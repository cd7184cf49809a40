import Synchronization

// A promise that is about to adopt another, that nobody holds, and for which only other adopters wait, is taken out of the
// way: what waited for it waits for the other. This keeps a loop `func step() { p.then { step() } }` flat: the promise of every
// step but the outermost is held by nobody, and only the promise of the step before waits for it (rule 3.3).

extension AdoptingReaction {
  /// A promise that was collapsed, kept until nothing refers to it any more, and what waited for it.
  private struct Collapsed {
    let promise: AnyPromise
    var waiting: ReactionList
  }

  /// Collapses the target of this reaction, which is about to adopt `adopted`. `false`: it is held, or more than adopters wait.
  ///
  /// A promise that was held for a moment when its turn came, by the thread of the step before, is collapsed together
  /// with a later one: so what waits is looked at in turn.
  ///
  /// The consumers move first, all at once; who leaves a promise that was collapsed is taken off the count of the one that it
  /// forwards to (`removeConsumer`), and so knows whether it was the last (rule 4.4), wherever the move has got to.
  final func collapse(into adopted: AnyPromise) -> Bool {
    guard let collapsed = collapseTarget(into: adopted, countedAs: 0) else { return false }
    Self.moveWaiting(from: collapsed, to: adopted)
    return true
  }

  /// The same for a reaction that already waits for `adopted`, as one of its consumers, and whose edge is marked as moving.
  final func collapse(whileWaitingFor adopted: AnyPromise) -> Bool {
    guard let collapsed = collapseTarget(into: adopted, countedAs: 1) else { return false }
    Self.moveWaiting(from: collapsed, to: adopted)
    return true
  }

  /// What waited for a promise that was collapsed waits for the other.
  private static func moveWaiting(from first: consuming Collapsed, to adopted: AnyPromise) {
    var collapsed = first
    // Of those that had several adopters. Mostly there is one, whose target is not collapsed with it.
    var others: [Collapsed] = []
    var watches: [ProgressWatch] = []
    while true {
      if let reaction = collapsed.waiting.popFirst() {
        guard let next = AdoptingReaction.move(consume reaction, from: collapsed.promise, to: adopted) else { continue }
        others.append(collapsed)
        collapsed = next
      } else {
        collapsed.promise.collectStandingProgressWatches(in: &watches)
        guard let other = others.popLast() else { break }
        collapsed = other
      }
    }
    if !watches.isEmpty { ProgressWatch.wake(watches) }
  }

  /// The order matters: first the check that nobody holds the promise, then the acquiring exchange that takes the list.
  /// The other way round a reaction that is attached between the two, by somebody who then lets go, is lost.
  ///
  /// - Parameter count: how many consumers of `adopted` this reaction counts as: 1 if it moves there.
  private func collapseTarget(into adopted: AnyPromise, countedAs count: Int) -> Collapsed? {
    guard previousFollow == nil, isTargetMovable, holdsTargetAlone, let promise = target, !promise.isProgressObserved,
      promise.family.setForwardee(adopted)
    else { return nil }
    var old = promise.cellHint
    var moved = count
    // A reaction that is counted already stands for one consumer. Were there more, they would be counted beside it for a moment, in which who
    // gives `adopted` up finds others, and then nobody would be left to do so (rule 4.4).
    let mostMoved = count == 0 ? StateWord.mostConsumers - 1 : count
    // A count that sticks says nothing. A promise with too many consumers stays where it is, which takes one more reaction.
    while old.consumers > 0, old.consumers <= mostMoved, let (new, list) = old.forward() {
      moved = adopted.changeConsumers(from: moved, to: old.consumers)
      // Acquiring: the list becomes ours. Releasing: the promise it forwards to. Sequentially consistent: a watch that comes here
      // registers and then looks whether the promise was moved; we look for watches after this.
      let (exchanged, found) = promise.word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged {
        _ = promise.producer.retire(location(of: self))
        becomeEmpty()
        return Collapsed(promise: consume promise, waiting: ReactionList(newest: list))
      }
      old = StateWord(bits: found)
    }
    _ = adopted.changeConsumers(from: moved, to: count)
    promise.family.unsetForwardee(adopted)
    return nil
  }

  /// A first look: others than adopters wait for the target of many a reaction that is asked, and then there is no need to hold it.
  private var isTargetMovable: Bool {
    unsafe targetReference?._withUnsafeGuaranteedRef { target in
      let state = target.cellHint
      return state.consumers > 0 && state.forward() != nil
    } ?? false
  }

  /// This forward waited for `promise`, which was collapsed into `adopted`: it waits for `adopted` from now on, or is collapsed
  /// with its own target.
  ///
  /// While the edge is marked as moving, who ends it leaves the reaction to us; without the mark, the target could be let go
  /// while it is read here.
  private static func move(_ reaction: consuming Reaction, from promise: AnyPromise, to adopted: AnyPromise)
    -> Collapsed?
  {
    let forward = unsafe unsafeDowncast(consume reaction, to: AdoptingReaction.self)
    let old = location(of: promise)
    // `false`: it was left meanwhile, and nothing will come of it.
    guard forward.adopted.beginMoving(from: old) else { return nil }
    if forward.isTarget(adopted) {
      adopted.breakRing()
      return forward.drop(from: old)
    }
    if let next = forward.collapseTarget(into: adopted, countedAs: 1) {
      _ = forward.adopted.retire(old)
      return next
    }
    guard let target = forward.target else { return nil }
    guard forward.adopted.endMoving(from: old, to: location(of: adopted)) else { return forward.drop(from: old) }
    adopted.attach(forward, as: .adopter)
    target.checkAdoption(of: adopted, by: forward, in: target.cellInOrder)
    return nil
  }

  private func drop(from old: UInt64) -> Collapsed? {
    _ = adopted.retire(old)
    becomeEmpty()
    return nil
  }
}

extension AnyPromise {
  /// Consumers of a promise that is being collapsed come here, or not after all. Returns how many there are then.
  ///
  /// Some stay: whoever collapses is going to wait for this promise in any case. So nobody needs to be told to be the last.
  fileprivate final func changeConsumers(from old: Int, to new: Int) -> Int {
    for _ in old..<max(old, new) { addConsumer() }
    for _ in new..<max(old, new) { removeConsumer(leavingBehind: 0) }
    return new
  }
}
