import Synchronization

// A promise adopts another: its handler returned it (rule 2.6), or its owner follows it (rule 3.1).

extension AdoptingLink {
  /// The handler of this link has returned `inner`: its promise becomes what `inner` becomes.
  final func adopt(_ inner: consuming AnyPromise, copyingBy copy: @escaping LinkBody) {
    var inner = inner.cell.isMoved ? inner.resolved : inner
    if let target, target === inner { return AnyPromise.breakRing(at: target, endedBy: self) }
    body = copy
    becomeForward()
    if dissolve(into: inner) { return }
    wait(for: inner, isShared: !Self.isUnique(&inner))
  }

  /// Not inlined: with the call below in its place the optimiser (Swift 6.3.1) stops at an invalid read-only scope.
  @inline(never)
  private static func isUnique(_ promise: inout AnyPromise) -> Bool { isKnownUniquelyReferenced(&promise) }

  /// Waits for `inner`, as a forward. The caller holds the target.
  final func wait(for inner: AnyPromise, isShared: Bool) {
    guard let target else { return }
    // Published before the push: afterwards another thread may forward at any moment.
    self.inner.publish(location(of: inner))
    inner.attach(self, as: .forward, isShared: isShared)
    target.checkAdoption(of: inner, by: self)
  }
}

extension AnyPromise {
  /// After an edge was published: was this promise claimed meanwhile, or did the edge close a ring?
  ///
  /// Both are looked for *after* publishing, and everything involved is sequentially consistent: of two threads that
  /// do this to each other at least one sees the other's edge, or claim (rules 3.2 and 4.4).
  fileprivate final func checkAdoption(of inner: AnyPromise, by link: AdoptingLink) {
    let state = CellWord(bits: word.load(ordering: .sequentiallyConsistent))
    if state.isClaimed {
      // Whoever claimed it may have looked for this edge too early.
      if let left = link.leave(), left.lostConsumer(leavingBehind: 1) { cancelWithThis(left) }
    } else if state.wasConsumed, inner.waits(for: self) {
      // Nobody waits for a promise that nothing was ever attached to, so it cannot be part of a ring.
      Self.breakRing(at: self, endedBy: link)
    }
  }

  /// Cancels, as soon as this claimed promise is published, what only this one wanted (rule 4.4).
  private func cancelWithThis(_ promise: AnyPromise) {
    observe(on: nil, handling: .error) { from, _ in
      if from.cellHint.isCancelled, let reason = from.error { promise.cancelTree(reason: reason) }
      return .nothing
    }
  }

  fileprivate static func breakRing(at promise: AnyPromise, endedBy link: AdoptingLink) {
    guard promise.claim(rejecting: PromiseError.cycle(createdAt: CreationSite(promise.site)), cancelled: false) else {
      return
    }
    promise.leaveAdopted()
    promise.publish()
  }

  /// This promise, directly or not, can only be settled after `other`.
  ///
  /// - Complexity: O(*n*), where *n* is the number of promises that this one waits for.
  final func waits(for other: AnyPromise) -> Bool {
    var found: [AnyPromise] = [self]
    while let promise = found.popLast() {
      if promise === other { return true }
      let state = promise.cell
      if state.isMoved { found.append(promise.forwardee) }
      if state.isDone { continue }
      promise.producer.read(Link.self) { link in
        if let source = link.source { found.append(source) }
        guard link.traits.contains(.adopts) else { return }
        for adopting in sequence(first: link.asAdopting, next: \.elder) {
          if let inner = adopting.inner.promise() { found.append(inner) }
        }
      }
    }
    return false
  }

  /// This promise is claimed: it no longer waits for what it had adopted (rule 3.4), however it came to be settled.
  ///
  /// Returns the promises that have lost their last consumer by it (rule 4.4).
  @discardableResult
  final func leaveAdopted() -> [AnyPromise] {
    var left: [AnyPromise] = []
    let newest = producer.read(Link.self) { link -> UInt64? in
      guard link.traits.contains(.adopts) else { return nil }
      left = sequence(first: link.asAdopting, next: \.elder).compactMap { $0.leave() }
      return location(of: link)
    }
    if let newest { _ = producer.retire(newest) }
    return left.filter { $0.lostConsumer(leavingBehind: 1) }
  }
}

extension AdoptingLink {
  /// Ends the edge to the adopted promise, unless its settlement was faster. What remains in the list of that promise is an
  /// empty entry. Returns the adopted promise, which has a consumer less.
  fileprivate final func leave() -> AnyPromise? {
    guard let inner = inner.promise(), self.inner.retire(location(of: inner)) else { return nil }
    body = nil
    leaveKin()
    dropTarget()
    return inner
  }
}

// MARK: - Following

extension AnyPromise {
  /// This promise, whose owner asks for it, becomes what `other` becomes. `false`: it is settled already.
  @usableFromInline
  final func follow(_ other: AnyPromise, copyingBy copy: @escaping LinkBody) -> Bool {
    guard isUnclaimed else { return false }
    let other = other.resolved
    let link = AdoptingLink(from: nil, to: self, on: nil, traits: [.adopts, .forwards], body: copy)
    if other === self {
      Self.breakRing(at: self, endedBy: link)
      return true
    }
    guard become(producedBy: link) else { return false }
    link.wait(for: other, isShared: true)
    return true
  }

  /// Makes `link` the newest of the links by which this promise follows others. `false`: it was settled meanwhile.
  private func become(producedBy link: AdoptingLink) -> Bool {
    while isUnclaimed {
      // May be kept: an owner's promise is produced by forwards only, which no context can drop.
      let elder = producer.read(Link.self) { $0.asAdopting }
      link.elder = elder
      if producer.replace(elder.map { location(of: $0) } ?? 0, by: location(of: link)) { return true }
    }
    return false
  }

  /// An owner that goes away leaves a promise behind that somebody else will settle.
  @usableFromInline final var isFollowing: Bool { !producer.isEmpty }
}

// MARK: - Dissolving

extension AdoptingLink {
  /// Takes the promise of this link, which is about to adopt `inner`, out of the way: what waits for it waits for `inner`.
  ///
  /// This keeps a loop `func step() { p.then { step() } }` flat: the promise of every step but the outermost is held by
  /// nobody, and only the promise of the step before waits for it (rule 3.3). Possible only if nobody else can reach
  /// the promise: this link holds the one reference, and only forwards, which hold none, wait there.
  ///
  /// The order matters: first the check that nobody holds the promise, then the acquiring exchange that takes the list.
  /// The other way round a link that is attached between the two, by somebody who then lets go, is lost.
  fileprivate final func dissolve(into inner: AnyPromise) -> Bool {
    guard holdsTargetAlone, let promise = target else { return false }
    var old = promise.cellHint
    guard old.head != 0, old.move() != nil else { return false }
    // Constant once `moved` is released, for a weak reference of the user's that comes back to life.
    promise.kin.setForwardee(inner)
    while let (new, list) = old.move() {
      // Acquiring: the list becomes ours. Releasing: the promise it forwards to.
      let (exchanged, found) = promise.word.compareExchange(
        expected: old.bits, desired: new.bits, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged {
        _ = promise.producer.retire(location(of: self))
        leaveKin()
        promise.moveForwards(LinkList(newest: list), to: inner)
        return true
      }
      old = CellWord(bits: found)
    }
    promise.kin.unsetForwardee()
    return false
  }
}

extension AnyPromise {
  fileprivate final func moveForwards(_ list: consuming LinkList, to inner: AnyPromise) {
    var list = list
    while let link = list.popFirst() {
      let forward = link.asAdopting
      // Held: once the link is attached again it may be forwarded, and end, at any moment.
      guard let target = forward.target, target !== inner else {
        if let target = forward.target { Self.breakRing(at: target, endedBy: forward) }
        continue
      }
      // `false`: it was detached from us meanwhile, and is nobody's any more.
      guard forward.inner.replace(location(of: self), by: location(of: inner)) else { continue }
      inner.attach(forward, as: .forward)
      target.checkAdoption(of: inner, by: forward)
    }
  }
}
