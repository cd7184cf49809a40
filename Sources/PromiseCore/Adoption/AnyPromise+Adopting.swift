import Synchronization

// A promise adopts another: its handler returned it (rule 2.6), or its owner follows it (rule 3.1).

extension AdoptingReaction {
  /// The handler of this reaction has returned a promise: the target becomes what that one becomes.
  ///
  /// - Parameter adopted: with the reference to it.
  final func adopt(_ adopted: Unmanaged<AnyPromise>, copyingBy copy: @escaping ReactionFunction) {
    var adopted = unsafe adopted.takeRetainedValue()
    // Retained until its promise has counted this consumer, see `ClientPromise.swift`.
    var clientPromise: AnyPromise?
    defer { withExtendedLifetime(clientPromise) {} }
    if adopted.cell.isForwarded {
      clientPromise = adopted
      adopted = adopted.resolved
    }
    if isTarget(adopted) { return adopted.breakRing() }
    body = ReactionBody(copy)
    becomeForward()
    guard !collapse(into: adopted) else { return }
    shortenLine()
    if !adopted.cell.isDone { releaseSource() }
    guard let target else { return }
    if !wait(for: adopted) { target.confirmAdoption(of: adopted, by: self, in: target.cellInOrder) }
    // With what a cancelled promise wanted, the error of what is returned to it is of no interest (rule 4.4).
    if target.cellHint.isCancelled { adopted.resolved.markHandled() }
  }

  /// Compares without keeping a reference to the target, which may have to be known to be unique.
  final func isTarget(_ promise: AnyPromise) -> Bool { target === promise }

  /// Waits for `adopted`, as a forward. The caller holds this reaction, and its target.
  ///
  /// First the consumer is counted, then the edge is published, then the reaction is pushed: who takes the edge away finds the
  /// count, and who forwards finds the edge.
  ///
  /// - Returns: `true` if `adopted` was settled already, and has fired this reaction. Else the caller confirms the adoption.
  final func wait(for adopted: AnyPromise) -> Bool {
    adopted.addConsumer()
    self.adopted.publish(location(of: adopted))
    return adopted.attach(self, as: .adopter)
  }

  /// Ends the edge to the adopted promise, unless its settlement was faster. What remains in the list of that promise is an
  /// empty entry. Returns the adopted promise, for which the reaction is still counted.
  final func leave() -> AnyPromise? {
    guard let adopted = adopted.promise() else { return nil }
    switch self.adopted.retire(location(of: adopted)) {
    case .none: return nil
    case .endedWhileMoving: return adopted
    case .ended:
      becomeEmpty()
      // The entry may stay for long, and is to keep nothing (rule 4.9).
      dropSource()
      return adopted
    }
  }

  /// Nothing will come of this reaction any more. The caller owns it. From here on nobody reaches it from its target.
  final func becomeEmpty() {
    leaveFamily(hasSettled: false)
    unsafe targetReference?._withUnsafeGuaranteedRef { stepDown(from: $0) }
    body = nil
    dropTarget()
  }

  /// Releases the settled source, because the handler has returned (rule 6.1). The reaction keeps its place in the family tree. The caller owns
  /// the reaction, which waits for nothing yet.
  fileprivate final func releaseSource() {
    guard unsafe sourceReference != nil, unsafe targetReference != nil else { return }
    // A thread that looks for the source through the target waits, or has retained the source. If this returns `false` the target is
    // settled, and no thread looks.
    let isShown =
      unsafe targetReference?._withUnsafeGuaranteedRef { $0.producer.pause(at: location(of: self)) } ?? false
    keepShares()
    keepPlaceWithoutSource()
    let source = unsafe sourceReference
    unsafe sourceReference = nil
    if isShown { unsafe targetReference?._withUnsafeGuaranteedRef { $0.producer.resume() } }
    unsafe source?.release()
  }

  /// Ends the edges of this reaction and of its previous follows that no other thread has ended. The target is claimed (rule 3.4).
  final func takeAll() -> ShortList<Departure> {
    var departures = ShortList<Departure>()
    for reaction in sequence(first: self, next: \.previousFollow) {
      if let left = reaction.leave() { departures.append(Departure(promise: left)) }
    }
    return departures
  }

  /// The edge of this reaction has ended, and the reaction may be released: the target, which is claimed, must not refer to it. It refers
  /// to the newest previous follow instead, so that the claimer finds that.
  final func stepDown(from target: AnyPromise) {
    var reaction = self
    while let previous = reaction.previousFollow,
      target.producer.replace(location(of: reaction), by: location(of: previous))
    {
      // In order: a thread that ends an edge does this afterwards. Either that thread finds its reaction here, or we see the end.
      if !previous.adopted.isEmpty { return }
      reaction = previous
    }
    _ = target.producer.retire(location(of: reaction))
  }
}

extension AnyPromise {
  /// After an edge was published: was this promise claimed meanwhile, or did the edge close a ring?
  ///
  /// Both are looked for *after* publishing, and everything involved is sequentially consistent: of two threads that
  /// do this to each other at least one sees the other's edge, or claim (rules 3.2 and 4.4).
  ///
  /// - Parameter state: of this promise, read in order after the edge was published.
  final func checkAdoption(of adopted: AnyPromise, by reaction: AdoptingReaction, in state: StateWord) {
    if state.isClaimed {
      // The claimer may have looked for this edge too early. It has found the previous follows.
      if let left = reaction.leave() { giveUpWithThis(Departure(promise: left)) }
    } else if state.wasConsumed, isAwaited(by: adopted) {
      // Nobody waits for a promise that nothing was ever attached to, so it cannot be part of a ring.
      breakRing()
    }
  }

  /// The adoption stands: it is checked, and what observes the progress of this promise looks at `adopted` too.
  final func confirmAdoption(of adopted: AnyPromise, by reaction: AdoptingReaction, in state: StateWord) {
    checkAdoption(of: adopted, by: reaction, in: state)
    // Not before: a way that leads round a ring has no end.
    renewProgressWatches()
  }

  /// All that is to come is a handler that can run: the step of a loop mostly returns such a promise. Found without counting a
  /// reference.
  final var waitsForHandlerAlone: Bool {
    guard side.table == nil else { return false }
    let isSourceDone = producer.read(Reaction.self) { reaction -> Bool? in
      // Not at previous follows: the reaction by which an owner follows may have some, and has no source.
      if reaction.traits.contains(.adopts), !reaction.withAdopting({ $0.adopted.isEmpty }) { return nil }
      return unsafe reaction.sourceReference?._withUnsafeGuaranteedRef { $0.cell.isDone }
    }
    // Looked at last: a promise that is being collapsed is moved before its producer is retired.
    return (isSourceDone ?? false) && !cell.isForwarded
  }

  /// This promise, and all that it waits for. Beyond one for which the body answers `false` it does not look.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises that are looked at.
  @inline(__always)
  final func forEachAwaited(_ body: (AnyPromise) -> Bool) {
    var found = ShortList(self)
    // Needed only where ways part and may meet again.
    var visited: Set<ObjectIdentifier> = []
    while let promise = found.popLast() {
      guard body(promise) else { continue }
      if !found.isEmpty || !visited.isEmpty, !visited.insert(ObjectIdentifier(promise)).inserted { continue }
      let state = promise.cell
      if state.isForwarded { found.append(promise.forwardee) }
      // Who has claimed it may be about to leave what it waited for: it waits no more.
      if state.isClaimed { continue }
      if let combination = promise.combination { for input in combination.inputs { found.append(input) } }
      promise.forEachUpstream { found.append($0) }
    }
  }

  /// The promise that this one was derived from, and those that it follows.
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

  /// The same, held.
  final var upstream: ShortList<AnyPromise> {
    var upstream = ShortList<AnyPromise>()
    // All of them, whatever has become of them: one that was let go here would go while something is pinned.
    forEachUpstream { upstream.append($0) }
    return upstream
  }

  /// This promise is claimed: it no longer waits for what it had adopted or follows. Each edge is told once. The caller has claimed it, and
  /// leaves all edges that no other thread has ended, so that the promise is a consumer of nothing when the call returns (rule 4.0).
  final func takeAdopted() -> ShortList<Departure> {
    var newest: AdoptingReaction?
    let address = producer.read(Reaction.self) { reaction -> UInt64? in
      // The handler of any other reaction is taken by `Leaving`.
      guard reaction.traits.contains(.forwards) else { return nil }
      newest = reaction.withAdopting { $0.newestToLeave }
      return location(of: reaction)
    }
    guard let address else { return ShortList() }
    // First of all: once an edge has ended, nothing else keeps its reaction alive.
    _ = producer.retire(address)
    return newest?.takeAll() ?? ShortList()
  }

  /// The same, for a promise that was settled, and not cancelled: it leaves those others (rule 3.4).
  final func leaveAdopted() { for departure in takeAdopted() { departure.leave() } }
}
