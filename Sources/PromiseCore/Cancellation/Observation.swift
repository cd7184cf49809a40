/// What the two promises of a `WeakReaction` know of each other, in their side tables.
struct Observation {
  /// In the source's: the identity, as long as nobody has asked for it.
  var unclaimed: AnyPromise?
  /// In the source's: the identity, if it lives.
  weak var identity: AnyPromise?
  /// In the identity's: the source, as long as both are pending.
  var source: AnyPromise?
}

extension AnyPromise {
  /// Clients get `identity` in place of this promise, and its going cancels this one. Both are new.
  @usableFromInline
  final func observeClients(through identity: AnyPromise, copyingBy copy: @escaping ReactionFunction) {
    identity.side.markObserved()
    identity.side.getOrCreateTable().locked { $0.observation.source = self }
    side.getOrCreateTable().locked {
      $0.observation.unclaimed = identity
      $0.observation.identity = identity
    }
    let reaction = WeakReaction(from: self, to: identity, body: ReactionBody(copy))
    identity.producer.initialize(location(of: reaction))
    attach(reaction, as: .plain)
  }

  /// What clients get: the identity, or this promise if there is none, or none any more.
  @usableFromInline final var observed: AnyPromise {
    side.table?.locked {
      let identity = $0.observation.unclaimed ?? $0.observation.identity
      $0.observation.unclaimed = nil
      return identity
    } ?? self
  }

  /// This promise is settled: it keeps no ancestor alive (rule 6.3), and an identity that nobody asked for is not needed.
  final func endObservation() {
    // Released outside the lock.
    _ = side.table?.locked {
      let observation = $0.observation
      $0.observation.unclaimed = nil
      $0.observation.source = nil
      return observation
    }
  }

  /// An identity is going while it is pending: nobody holds it or waits for it.
  @inline(never)
  final func endUnobserved() {
    let source = side.table?.locked { $0.observation.source }
    // Only reactions that were detached, observers of the library's own, and users' that are no consumers (rule 4.0) are left. The last want
    // to see the reason all the same.
    var reactions = ReactionList(newest: cellHint.head)
    while let reaction = reactions.popFirst() {
      guard let source, reaction.isObserverOfErrors else { continue }
      reaction.redirect(to: source)
      source.attach(reaction, as: .plain)
    }
    if let source { DeferredSettlements.cancel(ShortList(source)) }
  }

  // MARK: Kept by its consumers

  /// An identity that gets its first consumer keeps itself. Retained before the exchange, for another thread may let go right
  /// after it; released if it was not the first.
  final func keepingWhileConsumed<Result>(_ exchange: () -> (Result, isFirst: Bool)) -> Result {
    guard side.isObserved else { return exchange().0 }
    let reference = unsafe Unmanaged.passRetained(self)
    let (result, isFirst) = exchange()
    if !isFirst { unsafe reference.release() }
    return result
  }

  /// An identity whose last consumer is gone, or that is being settled, lets itself go. The caller holds it.
  final func letGoUnconsumed() {
    if side.isObserved { unsafe Unmanaged.passUnretained(self).release() }
  }
}

extension Reaction {
  /// A handler of `onRejected`, which was not called off. The caller owns the reaction.
  fileprivate final var isObserverOfErrors: Bool { traits.contains(.error) && context != nil && !state.isDetached }
}
