import Synchronization

// Collapsing removes a promise that is about to adopt another, if only its own reaction retains it and only adopters
// wait for it. Its adopters then wait for the other promise instead. This keeps the loop
// `func step() { p.then { step() } }` flat (rule 3.3). In such a loop nothing retains the promise of any step but the
// outermost, and only the promise of the previous step waits for it.

extension AdoptingReaction {
  /// A promise that was collapsed, and the reactions that waited for it. The promise is retained until nothing refers
  /// to it.
  private struct Collapsed {
    let promise: AnyPromise
    var waiting: ReactionList
  }

  /// Collapses the target of this reaction, which is about to adopt `adopted`.
  ///
  /// A promise that the thread of the previous step retained for a moment could not be collapsed then. It is collapsed
  /// together with a later one, so the target of each waiting reaction is checked, too.
  ///
  /// Invariant: the consumers are counted at `adopted` before the promise is marked as forwarded. A consumer that
  /// leaves a collapsed promise is subtracted at the promise to which that forwards (`removeConsumer`). So the consumer
  /// knows whether it was the last (rule 4.4), however far the move has got.
  ///
  /// - Returns: `false` if another reference to the target exists, or if others than adopters wait for it. Then nothing
  ///   has changed.
  final func collapse(into adopted: AnyPromise) -> Bool {
    guard let collapsed = collapseTarget(into: adopted, countedAs: 0) else { return false }
    Self.moveWaiting(from: collapsed, to: adopted)
    return true
  }

  /// Collapses the target of this reaction, which already waits for `adopted` and is counted there as a consumer. The
  /// caller has marked the edge as moving. Returns `false` as `collapse(into:)` does.
  final func collapse(whileWaitingFor adopted: AnyPromise) -> Bool {
    guard let collapsed = collapseTarget(into: adopted, countedAs: 1) else { return false }
    Self.moveWaiting(from: collapsed, to: adopted)
    return true
  }

  /// Makes the reactions that waited for a collapsed promise wait for `adopted`.
  private static func moveWaiting(from first: consuming Collapsed, to adopted: AnyPromise) {
    var collapsed = first
    // Collapsed promises whose lists are not worked off yet, because the target of one of their adopters was collapsed,
    // too. Usually there is none.
    var others: [Collapsed] = []
    var watches: [ProgressWatch] = []
    while true {
      if let reaction = collapsed.waiting.popFirst() {
        guard let next = AdoptingReaction.move(consume reaction, from: collapsed.promise, to: adopted) else { continue }
        others.append(collapsed)
        collapsed = next
      } else {
        collapsed.promise.collectDependentProgressWatches(in: &watches)
        guard let other = others.popLast() else { break }
        collapsed = other
      }
    }
    if !watches.isEmpty { ProgressWatch.wake(watches) }
  }

  /// Collapses the target, and returns it with the reactions that waited for it. Returns `nil` if it cannot be
  /// collapsed.
  ///
  /// The order matters: first the check that nothing else retains the promise, then the acquiring exchange that takes
  /// the list. In the other order, a reaction would be lost that a client attaches between the two before it releases
  /// its reference.
  ///
  /// - Parameter count: how many consumers of `adopted` this reaction already counts as: 1 if it waits there, else 0.
  private func collapseTarget(into adopted: AnyPromise, countedAs count: Int) -> Collapsed? {
    guard previousFollow == nil, isTargetMovable, holdsOnlyStrongReferenceToTarget, let promise = target,
      promise.isReplaceable, promise.family.setForwardee(adopted)
    else { return nil }
    var old = promise.relaxedState
    var moved = count
    // A reaction that is counted already stands for one consumer. More than one would be counted in addition for a
    // moment. A canceller that gave `adopted` up in that moment would find other consumers and leave it running, and no
    // later consumer would give it up (rule 4.4).
    let mostMoved = count == 0 ? StateWord.mostConsumers - 1 : count
    // A count that sticks does not tell how many consumers there are. A promise with too many consumers is not
    // collapsed. That costs one more reaction.
    while old.consumers > 0, old.consumers <= mostMoved, let (new, list) = old.forward() {
      moved = adopted.changeConsumers(from: moved, to: old.consumers)
      // Acquiring: this thread now owns the list. Releasing: publishes the forwardee. Sequentially consistent, because
      // a progress watch registers at this promise and then checks whether it was forwarded, and this thread looks for
      // watches afterwards. One of the two sees the other.
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

  /// Whether the target might be collapsed. Checked first, without retaining the target, because for most reactions the
  /// answer is no.
  private var isTargetMovable: Bool {
    unsafe targetReference?._withUnsafeGuaranteedRef { target in
      let state = target.relaxedState
      return state.consumers > 0 && state.forward() != nil
    } ?? false
  }

  /// Moves a forward that waited for `promise`, which was collapsed into `adopted`. It waits for `adopted` from now on,
  /// or its own target is collapsed too, which is then returned.
  ///
  /// While the edge is marked as moving, a thread that ends the edge leaves the reaction to this thread. Without the
  /// mark, that thread could release the target while it is read here.
  private static func move(_ reaction: consuming Reaction, from promise: AnyPromise, to adopted: AnyPromise)
    -> Collapsed?
  {
    let forward = unsafe unsafeDowncast(consume reaction, to: AdoptingReaction.self)
    let old = location(of: promise)
    // Another thread has ended the edge, so the reaction will pass nothing on.
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
    target.checkAdoption(of: adopted, by: forward, in: target.stateInOrder)
    return nil
  }

  private func drop(from old: UInt64) -> Collapsed? {
    _ = adopted.retire(old)
    becomeEmpty()
    return nil
  }
}

extension AnyPromise {
  /// Whether only the outcome of this promise is needed, so that another promise may take its place. Otherwise its
  /// progress is observed, its owner has added hooks (rule 4.5), or its owner wants it cancelled when no consumer is left
  /// (rule 4.6).
  ///
  /// The owner has released this promise, so it adds no hooks any more.
  fileprivate final var isReplaceable: Bool {
    if side.isObservingClients { return false }
    return side.table?.locked { !$0.progress.isObserved && $0.hooks.isEmpty } ?? true
  }

  /// Changes the number of consumers that move here from a promise that is being collapsed, and returns the new number.
  ///
  /// This promise keeps at least one consumer meanwhile, because the reaction whose target is collapsed waits for it in
  /// any case. So it is never given up here as having lost its last consumer.
  fileprivate final func changeConsumers(from old: Int, to new: Int) -> Int {
    for _ in old..<max(old, new) { addConsumer() }
    for _ in new..<max(old, new) { _ = removeConsumer(leavingBehind: 0) }
    return new
  }
}
