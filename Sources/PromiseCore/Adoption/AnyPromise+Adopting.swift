import Synchronization

// A promise adopts the promise that its handler returned (rule 2.6), or follows the one that its owner names (rule
// 3.1).

extension AdoptingReaction {
  /// Makes the target settle as the promise does that the handler of this reaction has returned.
  ///
  /// - Parameter adopted: the returned promise. The caller passes on its reference.
  final func adopt(_ adopted: Unmanaged<AnyPromise>, copyingBy copy: @escaping ReactionFunction) {
    var adopted = unsafe adopted.takeRetainedValue()
    // A client promise must be retained until its owner's promise has counted this consumer, see `ClientPromise.swift`.
    var clientPromise: AnyPromise?
    defer { withExtendedLifetime(clientPromise) {} }
    if adopted.acquiredState.isForwarded {
      clientPromise = adopted
      adopted = adopted.resolved
    }
    if isTarget(adopted) { return adopted.breakRing() }
    body = ReactionBody(copy)
    becomeForward()
    guard !collapse(into: adopted) else { return }
    shortenLine()
    if !adopted.acquiredState.isDone { releaseSource() }
    guard let target else { return }
    if !wait(for: adopted) { target.confirmAdoption(of: adopted, by: self, in: target.stateInOrder) }
    // The target was cancelled, so nothing will look at the promise that its handler has returned. Its error must not
    // be reported (rule 4.4).
    if target.relaxedState.isCancelled { adopted.resolved.markDutyPassed() }
  }

  /// Whether the target is `promise`. Keeps no reference to the target, because the caller may check afterwards that
  /// the reaction holds the only one.
  final func isTarget(_ promise: AnyPromise) -> Bool { target === promise }

  /// Makes this forward wait for `adopted`. The caller retains this reaction and its target.
  ///
  /// The consumer is counted first, then the edge is published, then the reaction is pushed. So a thread that ends the
  /// edge finds the consumer counted, and a thread that passes the outcome on finds the edge.
  ///
  /// - Returns: `true` if `adopted` was settled already. Its outcome was passed on by this call, unless another thread
  ///   had ended the edge. If `false`, the caller confirms the adoption.
  final func wait(for adopted: AnyPromise) -> Bool {
    adopted.addConsumer()
    self.adopted.publish(location(of: adopted))
    return adopted.attach(self, as: .adopter)
  }

  /// Ends the edge to the adopted promise, and returns that promise, where the reaction is still counted as a consumer.
  ///
  /// An empty entry remains in the list of the adopted promise. Returns `nil` if the edge had ended already, for
  /// instance by the settlement of the adopted promise.
  final func endEdge() -> AnyPromise? {
    guard let adopted = adopted.promise() else { return nil }
    switch self.adopted.retire(location(of: adopted)) {
    case .none: return nil
    case .endedWhileMoving: return adopted
    case .ended:
      becomeEmpty()
      // The entry may stay in the list for a long time, and must not retain anything (rule 4.9).
      dropSource()
      return adopted
    }
  }

  /// Ends this reaction, which will settle nothing any more. The caller owns the reaction. Afterwards no thread reaches
  /// it from its target.
  final func becomeEmpty() {
    leaveFamily(hasSettled: false)
    unsafe targetReference?._withUnsafeGuaranteedRef { stepDown(from: $0) }
    body = nil
    dropTarget()
  }

  /// Releases the settled source, because the handler has returned (rule 6.1). The reaction keeps its place in the
  /// family tree.
  ///
  /// The caller owns the reaction, which waits for nothing yet.
  fileprivate final func releaseSource() {
    guard unsafe sourceReference != nil, unsafe targetReference != nil else { return }
    // While the reference is paused, a thread that looks for the source through the target waits. A thread that had
    // pinned the reaction before has retained the source by now. If `pause` returns `false`, the target is settled, and
    // no thread looks for the source.
    let isShown =
      unsafe targetReference?._withUnsafeGuaranteedRef { $0.producer.pause(at: location(of: self)) } ?? false
    keepShares()
    keepPlaceWithoutSource()
    let source = unsafe sourceReference
    unsafe sourceReference = nil
    if isShown { unsafe targetReference?._withUnsafeGuaranteedRef { $0.producer.resume() } }
    unsafe source?.release()
  }

  /// Ends the edges of this reaction and of its previous follows, except those that another thread has ended. The
  /// target is claimed (rule 3.4).
  final func takeAll() -> ShortList<Departure> {
    var departures = ShortList<Departure>()
    for reaction in sequence(first: self, next: \.previousFollow) {
      if let left = reaction.endEdge() { departures.append(Departure(promise: left)) }
    }
    return departures
  }

  /// Makes the target refer to the newest previous follow whose edge still stands, instead of to this reaction.
  ///
  /// The edge of this reaction has ended, and the target was claimed or collapsed. The reaction may be released after
  /// this call, so the target must not refer to it. The claimer of the target finds the remaining edges through the
  /// previous follow.
  final func stepDown(from target: AnyPromise) {
    // Mostly there is none. A variable of the loop would count a reference to this reaction.
    if previousFollow == nil {
      _ = target.producer.retire(location(of: self))
    } else {
      stepDownToPreviousFollow(from: target)
    }
  }

  private func stepDownToPreviousFollow(from target: AnyPromise) {
    var reaction = self
    while let previous = reaction.previousFollow,
      target.producer.replace(location(of: reaction), by: location(of: previous))
    {
      // Sequentially consistent. A thread that ends the edge of `previous` calls `stepDown` afterwards. Either that
      // thread finds its reaction here, or this load sees that the edge has ended.
      if !previous.adopted.isEmpty { return }
      reaction = previous
    }
    _ = target.producer.retire(location(of: reaction))
  }
}

extension AnyPromise {
  /// Checks a new edge after its publication: whether this promise was claimed meanwhile, and whether the edge closes a
  /// ring.
  ///
  /// Both checks come *after* the publication, and all operations involved are sequentially consistent. If two threads
  /// do this to each other, at least one sees the other's edge or claim (rules 3.2 and 4.4).
  ///
  /// - Parameter state: the state of this promise, loaded by `stateInOrder` after the edge was published.
  final func checkAdoption(of adopted: AnyPromise, by reaction: AdoptingReaction, in state: StateWord) {
    if state.isClaimed {
      // The claimer may have looked for this edge before it was published. It has found the previous follows.
      if let left = reaction.endEdge() { giveUpWithThis(Departure(promise: left)) }
    } else if state.wasConsumed, isAwaited(by: adopted) {
      // Nothing waits for a promise to which nothing was ever attached, so such a promise cannot be part of a ring.
      breakRing()
    }
  }

  /// Checks a new edge, and then makes the observers of this promise's progress watch `adopted` too.
  final func confirmAdoption(of adopted: AnyPromise, by reaction: AdoptingReaction, in state: StateWord) {
    checkAdoption(of: adopted, by: reaction, in: state)
    // Only after the check: a walk along a ring would not end.
    renewProgressWatches()
  }

  /// This promise waits only for its handler, whose source is settled already. Loops mostly return such promises. No
  /// reference is counted to find out.
  final var waitsForHandlerAlone: Bool {
    guard side.table == nil else { return false }
    let isSourceDone = producer.read(Reaction.self) { reaction -> Bool? in
      // Previous follows need no check. Only the reaction of an owner's `follow` has any. Such a reaction has no
      // source, so the answer is `nil`.
      if reaction.traits.contains(.adopts), !reaction.withAdopting({ $0.adopted.isEmpty }) { return nil }
      return unsafe reaction.sourceReference?._withUnsafeGuaranteedRef { $0.acquiredState.isDone }
    }
    // Loaded last, because a collapse marks the promise as forwarded before it retires the producer.
    return (isSourceDone ?? false) && !acquiredState.isForwarded
  }

  /// Calls the body with this promise and with everything for which it waits, directly or not. Does not look beyond a
  /// promise for which the body returns `false`.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises visited.
  @inline(__always)
  final func forEachAwaited(_ body: (AnyPromise) -> Bool) {
    var found = ShortList(self)
    // Used only where paths diverge and may meet again.
    var visited: Set<ObjectIdentifier> = []
    while let promise = found.popLast() {
      guard body(promise) else { continue }
      if !found.isEmpty || !visited.isEmpty, !visited.insert(ObjectIdentifier(promise)).inserted { continue }
      let state = promise.acquiredState
      if state.isForwarded { found.append(promise.forwardee) }
      // The claimer may be about to leave what this promise waited for. A claimed promise does not wait any more.
      if state.isClaimed { continue }
      if let combination = promise.combination { for input in combination.inputs { found.append(input) } }
      promise.forEachUpstream { found.append($0) }
    }
  }

  /// Calls the body with the source of this promise and with the promises that it has adopted or follows.
  @inline(__always)
  private func forEachUpstream(_ body: (consuming AnyPromise) -> Void) {
    producer.read(Reaction.self) { reaction in
      if let source = reaction.source { body(consume source) }
      guard reaction.traits.contains(.adopts) else { return }
      reaction.withAdopting { newest in
        if let adopted = newest.adopted.promise() { body(consume adopted) }
        var previousFollow = newest.previousFollow
        while let adopting = previousFollow {
          if let adopted = adopting.adopted.promise() { body(consume adopted) }
          previousFollow = adopting.previousFollow
        }
      }
    }
  }

  /// The source of this promise and the promises that it has adopted or follows, retained.
  final var upstream: ShortList<AnyPromise> {
    var upstream = ShortList<AnyPromise>()
    // Every promise is kept, settled ones too. If a reference were released here and was the last, the promise's
    // `deinit` would run while the reaction is pinned.
    forEachUpstream { upstream.append($0) }
    return upstream
  }

  /// Takes all edges from this claimed promise to the promises that it had adopted or follows, and returns the promises
  /// at which it still is counted as a consumer.
  ///
  /// The caller is the claimer. Each edge is returned to one thread only. The caller must leave or give up each of the
  /// returned promises, so that this promise is a consumer of nothing when the caller's call returns (rule 4.0).
  final func takeAdopted() -> ShortList<Departure> {
    var newest: AdoptingReaction?
    let address = producer.read(Reaction.self) { reaction -> UInt64? in
      // `Leaving` takes the handler of any other reaction.
      guard reaction.traits.contains(.forwards) else { return nil }
      newest = reaction.withAdopting { $0.newestToEnd }
      return location(of: reaction)
    }
    guard let address else { return ShortList() }
    // Retired before any edge is ended, because a reaction whose edge has ended may be released at once.
    _ = producer.retire(address)
    return newest?.takeAll() ?? ShortList()
  }

  /// Leaves the promises that this one had adopted or follows, because it was settled otherwise than by a cancellation
  /// (rule 3.4).
  ///
  /// - Returns: see `Departure.leave`.
  final func leaveAdopted() -> ShortList<Departure> { takeAdopted().leaveAll() }
}
