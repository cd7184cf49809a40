/// What the two promises of a `WeakLink` know of each other, in their side tables.
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
  final func observeClients(through identity: AnyPromise, copyingBy copy: @escaping LinkFunction) {
    identity.side.markObserved()
    identity.side.demandTable().locked { $0.observation.source = self }
    side.demandTable().locked {
      $0.observation.unclaimed = identity
      $0.observation.identity = identity
    }
    let link = WeakLink(from: self, to: identity, body: LinkBody(copy))
    identity.producer.initialize(location(of: link))
    attach(link, as: .plain)
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
    // Only links that were detached, observers of the library's own, and users' that are no consumers (rule 4.0) are left. The last want
    // to see the reason all the same.
    var links = LinkList(newest: cellHint.head)
    while let link = links.popFirst() {
      guard let source, link.isObserverOfErrors else { continue }
      link.redirect(to: source)
      source.attach(link, as: .plain)
    }
    if let source { LostPromises.cancel(ShortList(source)) }
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

extension Link {
  /// A handler of `onRejected`, which was not called off. The caller owns the link.
  fileprivate final var isObserverOfErrors: Bool { traits.contains(.error) && context != nil && !state.isDetached }
}
