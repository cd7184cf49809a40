import Synchronization

// A promise adopts another: its handler returned it (rule 2.6), or its owner follows it (rule 3.1).

extension AdoptingLink {
  /// The handler of this link has returned a promise: the target becomes what that one becomes.
  ///
  /// - Parameter inner: with the reference to it.
  final func adopt(_ inner: Unmanaged<AnyPromise>, copyingBy copy: @escaping LinkFunction) {
    var inner = unsafe inner.takeRetainedValue()
    if inner.cell.isMoved { inner = inner.resolved }
    if isTarget(inner) { return inner.breakRing() }
    body = LinkBody(copy)
    becomeForward()
    guard !dissolve(into: inner) else { return }
    shortenLine()
    if !inner.cell.isDone { letSourceGo() }
    guard let target else { return }
    if !wait(for: inner) { target.confirmAdoption(of: inner, by: self, in: target.cellInOrder) }
    // With what a cancelled promise wanted, the error of what is returned to it is of no interest (rule 4.4).
    if target.cellHint.isCancelled { inner.resolved.markExamined() }
  }

  /// Compares without keeping a reference to the target, which may have to be known to be unique.
  final func isTarget(_ promise: AnyPromise) -> Bool { target === promise }

  /// Waits for `inner`, as a forward. The caller holds this link, and its target.
  ///
  /// First the consumer is counted, then the edge is published, then the link is pushed: who takes the edge away finds the
  /// count, and who forwards finds the edge.
  ///
  /// - Returns: `true` if `inner` was settled already, and has fired this link. Else the caller confirms the adoption.
  final func wait(for inner: AnyPromise) -> Bool {
    inner.gainConsumer()
    self.inner.publish(location(of: inner))
    return inner.attach(self, as: .forward)
  }

  /// Ends the edge to the adopted promise, unless its settlement was faster. What remains in the list of that promise is an
  /// empty entry. Returns the adopted promise, for which the link is still counted.
  final func leave() -> AnyPromise? {
    guard let inner = inner.promise() else { return nil }
    switch self.inner.retire(location(of: inner)) {
    case .none: return nil
    case .endedWhileMoving: return inner
    case .ended:
      becomeEmpty()
      // The entry may stay for long, and is to keep nothing (rule 4.9).
      dropSource()
      return inner
    }
  }

  /// Nothing will come of this link any more. The caller owns it. From here on nobody reaches it from its target.
  final func becomeEmpty() {
    leaveFamily(hasSettled: false)
    unsafe targetReference?._withUnsafeGuaranteedRef { _ = $0.producer.retire(location(of: self)) }
    body = nil
    dropTarget()
  }

  /// Releases the settled source, because the handler has returned (rule 6.1). The link keeps its place in the family tree. The caller owns
  /// the link, which waits for nothing yet.
  fileprivate final func letSourceGo() {
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

  /// The target of this link is claimed: it no longer waits for anything that it had adopted (rule 3.4).
  ///
  /// The caller holds this link, which is the newest of the target's, and the target. The reference to the link is retired first: once an
  /// edge has ended, nothing else keeps its link alive.
  final func takeAll(of target: AnyPromise) -> ShortList<Departure> {
    _ = target.producer.retire(location(of: self))
    var departures = ShortList<Departure>()
    for link in sequence(first: self, next: \.elder) {
      if let left = link.leave() { departures.append(Departure(promise: left)) }
    }
    return departures
  }
}

extension AnyPromise {
  /// After an edge was published: was this promise claimed meanwhile, or did the edge close a ring?
  ///
  /// Both are looked for *after* publishing, and everything involved is sequentially consistent: of two threads that
  /// do this to each other at least one sees the other's edge, or claim (rules 3.2 and 4.4).
  ///
  /// - Parameter state: of this promise, read in order after the edge was published.
  final func checkAdoption(of inner: AnyPromise, by link: AdoptingLink, in state: CellWord) {
    if state.isClaimed {
      // Whoever claimed it may have looked for this edge too early.
      for departure in link.takeAll(of: self) { giveUpWithThis(departure) }
    } else if state.wasConsumed, isAwaited(by: inner) {
      // Nobody waits for a promise that nothing was ever attached to, so it cannot be part of a ring.
      breakRing()
    }
  }

  /// The adoption stands: it is checked, and what observes the progress of this promise looks at `inner` too.
  final func confirmAdoption(of inner: AnyPromise, by link: AdoptingLink, in state: CellWord) {
    checkAdoption(of: inner, by: link, in: state)
    // Not before: a way that leads round a ring has no end.
    renewProgressWatches()
  }

  /// All that is to come is a handler that can run: the step of a loop mostly returns such a promise. Found without counting a
  /// reference.
  final var waitsForHandlerAlone: Bool {
    guard side.table == nil else { return false }
    let isSourceDone = producer.read(Link.self) { link -> Bool? in
      // Not at elders: the link by which an owner follows may have some, and has no source.
      if link.traits.contains(.adopts), !link.withAdopting({ $0.inner.isEmpty }) { return nil }
      return unsafe link.sourceReference?._withUnsafeGuaranteedRef { $0.cell.isDone }
    }
    // Looked at last: a promise that is being dissolved is moved before its producer is retired.
    return (isSourceDone ?? false) && !cell.isMoved
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
      if state.isMoved { found.append(promise.forwardee) }
      // Who has claimed it may be about to leave what it waited for: it waits no more.
      if state.isClaimed { continue }
      if let combination = promise.combination { for input in combination.inputs { found.append(input) } }
      promise.forEachUpstream { found.append($0) }
    }
  }

  /// The promise that this one was derived from, and those that it follows.
  @inline(__always)
  private func forEachUpstream(_ body: (consuming AnyPromise) -> Void) {
    producer.read(Link.self) { link in
      if let source = link.source { body(consume source) }
      guard link.traits.contains(.adopts) else { return }
      link.withAdopting { newest in
        if let inner = newest.inner.promise() { body(consume inner) }
        var elder = newest.elder
        while let adopting = elder {
          if let inner = adopting.inner.promise() { body(consume inner) }
          elder = adopting.elder
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

  /// This promise is claimed: it no longer waits for what it had adopted, however it came to be settled. What it has left is told once.
  ///
  /// Where the edge of the newest link has ended already, the thread that ended it leaves the others.
  final func takeAdopted() -> ShortList<Departure> {
    let newest = producer.read(Link.self) { link in
      link.traits.contains(.adopts) ? link.withAdopting { $0.keptWithEdge } : nil
    }
    return newest?.takeAll(of: self) ?? ShortList()
  }

  /// The same, for a promise that was settled, and not cancelled: it leaves those others (rule 3.4).
  final func leaveAdopted() { for departure in takeAdopted() { departure.leave() } }
}
