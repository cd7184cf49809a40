// How a reaction settles its target: with what its handler has made, or with an outcome that only passes through it.

extension Reaction {
  /// Passes the outcome of `settler`, the source or the adopted promise, on to the target. No handler runs.
  ///
  /// - Returns: `true` if this reaction has claimed the target. The caller must then publish the target.
  final func pass(
    outcomeOf settler: AnyPromise, inPlaceOf predecessor: Reaction?, during settlement: inout Settlement
  ) -> Bool {
    guard winPassing(from: settler) else { return false }
    // A forward has no context, but may have a place in the tree, which is stored where the context was.
    let isForward = traits.contains(.forwards)
    if !isForward { _ = takeContext() }
    // Checked before `target` is retained below.
    let isTargetAlone = holdsOnlyReferenceToTarget
    // An observer. It runs here if it has no context and handles this outcome. It is not marked as fired, because
    // nothing reads its source any more.
    guard let target else {
      runInline(on: settler, during: &settlement)
      return false
    }
    markFired()
    guard claim(target, withOutcomeOf: settler) else {
      endWithoutSettling(target)
      return false
    }
    target.endProgress(of: traits.contains(.forwards) ? settler : nil)
    if traits.contains(.adopts) { markSettledTarget() }
    // If only this reaction holds the target, and no reaction waits for it, none ever will. Such a target needs no
    // place.
    if !isForward, !isTargetAlone || target.hasReactions { settler.place(self, inPlaceOf: predecessor) }
    return true
  }

  private func claim(_ target: AnyPromise, withOutcomeOf settler: AnyPromise) -> Bool {
    let body = takeBody()
    if let error = settler.storedError { return target.claim(passing: error, from: settler) }
    if let body, case .settled = body(settler, target) { return true }
    return false
  }

  /// Runs an observer of the library inside the settling call. A client's handler never runs here.
  private func runInline(on source: AnyPromise, during settlement: inout Settlement) {
    guard traits.contains(source.relaxedState.isRejected ? .error : .value), let body = takeBody() else { return }
    settlement.carryOut(body(source, source), of: source)
  }

  /// Wins the right to settle the target. A forward is won by ending its edge to the adopted promise, any other
  /// reaction by starting it.
  private func winPassing(from source: AnyPromise) -> Bool {
    if traits.contains(.forwards) { return asAdopting.adopted.retire(location(of: source)) == .ended }
    let before = start()
    return !before.isStarted && !before.isDetached
  }

  /// This reaction as an adopting one. Safe: the trait is set for that class only.
  final var asAdopting: AdoptingReaction { unsafe unsafeDowncast(self, to: AdoptingReaction.self) }

  /// Calls the body with this reaction as an adopting one. For a reaction that is read through a pin, because no
  /// reference is counted.
  final func withAdopting<Result>(_ body: (AdoptingReaction) -> Result) -> Result {
    unsafe Unmanaged<AdoptingReaction>.at(location(of: self))._withUnsafeGuaranteedRef(body)
  }

  final func takeBody() -> ReactionBody? {
    body.take()
  }

  /// Publishes the target, which this reaction has claimed and whose payload it has written.
  final func publishTarget(during settlement: inout Settlement) {
    let isAlone = holdsOnlyReferenceToTarget
    unsafe targetReference?._withUnsafeGuaranteedRef { target in
      stopSettling(target, during: &settlement)
      let isInFamily = inheritFamily(to: target, isAlone: isAlone)
      target.publish(settledBy: isAlone ? self : nil, during: &settlement)
      if isInFamily { leaveFamily(hasSettled: true, isAlone: isAlone) }
      dropTarget()
    }
  }

  /// Ends this reaction, whose target was claimed by another thread. That thread leaves the promises that the target
  /// follows.
  final func endWithoutSettling(_ target: AnyPromise) {
    // Before the reaction is retired. A thread that has claimed the target finds this reaction, or finds that the
    // target has its place.
    leaveFamily(hasSettled: false)
    if traits.contains(.adopts) {
      asAdopting.stepDown(from: target)
    } else {
      _ = target.producer.retire(location(of: self))
    }
    dropTarget()
  }

  /// Separates the target from this reaction, which has claimed it.
  ///
  /// The target also leaves the other promises that it followed. It does so before it is published, because a settled
  /// promise is no consumer of them (rules 3.4 and 4.4).
  private func stopSettling(_ target: AnyPromise, during settlement: inout Settlement) {
    let isNewest = target.producer.retire(location(of: self)) == .ended
    if traits.contains(.adopts) { leaveOthers(than: target, isNewest: isNewest, during: &settlement) }
  }

  /// Not inlined, because most promises have adopted nothing.
  @inline(never)
  private func leaveOthers(than target: AnyPromise, isNewest: Bool, during settlement: inout Settlement) {
    let departures = isNewest ? asAdopting.previousFollow?.takeAll() ?? ShortList() : target.takeAdopted()
    departures.leaveAll().forEachElement { settlement.giveUp([$0], because: target) }
  }
}
