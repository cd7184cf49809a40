import Synchronization

// A promise that is about to adopt another, that nobody holds, and for which only other adopters wait, is taken out of the
// way: what waited for it waits for the other. This keeps a loop `func step() { p.then { step() } }` flat: the promise of every
// step but the outermost is held by nobody, and only the promise of the step before waits for it (rule 3.3).

extension AdoptingLink {
  /// A promise that was dissolved, kept until nothing refers to it any more, and what waited for it.
  private struct Dissolved {
    let promise: AnyPromise
    var waiting: LinkList
  }

  /// Dissolves the target of this link, which is about to adopt `inner`. `false`: it is held, or more than adopters wait.
  ///
  /// A promise that was held for a moment when its turn came, by the thread of the step before, is dissolved together
  /// with a later one: so what waits is looked at in turn.
  ///
  /// The consumers move first, all at once; who leaves a promise that was dissolved is taken off the count of the one that it
  /// forwards to (`lostConsumer`), and so knows whether it was the last (rule 4.4), wherever the move has got to.
  final func dissolve(into inner: AnyPromise) -> Bool {
    guard let dissolved = dissolveTarget(into: inner, countedAs: 0) else { return false }
    Self.moveWaiting(from: dissolved, to: inner)
    return true
  }

  /// The same for a link that already waits for `inner`, as one of its consumers, and whose edge is marked as moving.
  final func dissolve(whileWaitingFor inner: AnyPromise) -> Bool {
    guard let dissolved = dissolveTarget(into: inner, countedAs: 1) else { return false }
    Self.moveWaiting(from: dissolved, to: inner)
    return true
  }

  /// What waited for a promise that was dissolved waits for the other.
  private static func moveWaiting(from first: consuming Dissolved, to inner: AnyPromise) {
    var dissolved = first
    // Of those that had several adopters. Mostly there is one, whose target is not dissolved with it.
    var others: [Dissolved] = []
    var watches: [ProgressWatch] = []
    while true {
      if let link = dissolved.waiting.popFirst() {
        guard let next = AdoptingLink.move(consume link, from: dissolved.promise, to: inner) else { continue }
        others.append(dissolved)
        dissolved = next
      } else {
        dissolved.promise.collectStandingProgressWatches(in: &watches)
        guard let other = others.popLast() else { break }
        dissolved = other
      }
    }
    if !watches.isEmpty { ProgressWatch.wake(watches) }
  }

  /// The order matters: first the check that nobody holds the promise, then the acquiring exchange that takes the list.
  /// The other way round a link that is attached between the two, by somebody who then lets go, is lost.
  ///
  /// - Parameter count: how many consumers of `inner` this link counts as: 1 if it moves there.
  private func dissolveTarget(into inner: AnyPromise, countedAs count: Int) -> Dissolved? {
    guard elder == nil, isTargetMovable, holdsTargetAlone, let promise = target, !promise.isProgressObserved,
      promise.family.setForwardee(inner)
    else { return nil }
    var old = promise.cellHint
    var moved = count
    // A link that is counted already stands for one consumer. Were there more, they would be counted beside it for a moment, in which who
    // gives `inner` up finds others, and then nobody would be left to do so (rule 4.4).
    let mostMoved = count == 0 ? CellWord.mostConsumers - 1 : count
    // A count that sticks says nothing. A promise with too many consumers stays where it is, which takes one more link.
    while old.consumers > 0, old.consumers <= mostMoved, let (new, list) = old.move() {
      moved = inner.changeConsumers(from: moved, to: old.consumers)
      // Acquiring: the list becomes ours. Releasing: the promise it forwards to. Sequentially consistent: a watch that comes here
      // registers and then looks whether the promise was moved; we look for watches after this.
      let (exchanged, found) = promise.word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .sequentiallyConsistent, failureOrdering: .relaxed)
      if exchanged {
        _ = promise.producer.retire(location(of: self))
        becomeEmpty()
        return Dissolved(promise: consume promise, waiting: LinkList(newest: list))
      }
      old = CellWord(bits: found)
    }
    _ = inner.changeConsumers(from: moved, to: count)
    promise.family.unsetForwardee(inner)
    return nil
  }

  /// A first look: others than adopters wait for the target of many a link that is asked, and then there is no need to hold it.
  private var isTargetMovable: Bool {
    unsafe targetReference?._withUnsafeGuaranteedRef { target in
      let state = target.cellHint
      return state.consumers > 0 && state.move() != nil
    } ?? false
  }

  /// This forward waited for `promise`, which was dissolved into `inner`: it waits for `inner` from now on, or is dissolved
  /// with its own target.
  ///
  /// While the edge is marked as moving, who ends it leaves the link to us; without the mark, the target could be let go
  /// while it is read here.
  private static func move(_ link: consuming Link, from promise: AnyPromise, to inner: AnyPromise) -> Dissolved? {
    let forward = unsafe unsafeDowncast(consume link, to: AdoptingLink.self)
    let old = location(of: promise)
    // `false`: it was left meanwhile, and nothing will come of it.
    guard forward.inner.beginMoving(from: old) else { return nil }
    if forward.isTarget(inner) {
      inner.breakRing()
      return forward.drop(from: old)
    }
    if let next = forward.dissolveTarget(into: inner, countedAs: 1) {
      _ = forward.inner.retire(old)
      return next
    }
    guard let target = forward.target else { return nil }
    guard forward.inner.endMoving(from: old, to: location(of: inner)) else { return forward.drop(from: old) }
    inner.attach(forward, as: .forward)
    target.checkAdoption(of: inner, by: forward, in: target.cellInOrder)
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
}
