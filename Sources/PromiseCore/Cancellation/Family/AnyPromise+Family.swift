import Synchronization

// What is pending below a settled promise stands in its family tree, where a cancel finds it (rule 4.2). Below a pending promise no
// tree is needed: its list leads to all that waits for it.
//
// A link enters the tree when a settled promise fires it, and leaves it when its target is closed. If nothing holds the promise but the
// link that has settled it, no cancel can begin there. Then the promise needs no node, and the link that it fires takes the place of the
// link that settled it. A chain whose promises nobody holds needs no tree at all.

// MARK: - Settling

extension AnyPromise {
  /// This settled promise is about to schedule the handler of a link, or has passed its outcome to the link's target: from now on a
  /// cancel finds the target.
  ///
  /// - Parameter settler: the link that has settled this promise, if it held the only reference when it published the promise, and
  ///   no other link waited then.
  final func place(_ link: Link, inPlaceOf settler: Link?) {
    var state = family.state
    // Else only a client that gets this promise as the parent of the link's target can ask for what is below.
    let isAlone = settler != nil && !state.isWanted && state.tag != .owned
    let member = FamilyMember(linkAt: location(of: link))
    if state.tag == .none {
      if isAlone || family.setOnly(member) { return }
      state = stateWithNode()
    }
    guard let stripe = state.stripe else { return }
    if isAlone, let settler, stripe.locked({ handOn(from: settler, to: member) }) { return }
    let node = state.tag == .owned ? nil : FamilyNode(of: self, stripe: stripe)
    stripe.locked {
      if let node { _ = family.own(node) }
      // Meanwhile a client may have asked for the parent of the target, and cancelled the target, which has a place of its own then.
      guard !link.hasTargetWithNode else { return }
      _ = family.state.withNode { node in
        node.insert(member)
        if node.early == member { node.early = .none }
      }
    }
  }

  /// Under the stripe. `false`: this promise needs a node after all.
  private func handOn(from settler: Link, to member: FamilyMember) -> Bool {
    let state = family.state
    guard state.tag != .owned, !state.isWanted else { return false }
    _ = settler.givePlace(to: member)
    family.markHandedOn()
    return true
  }

  /// The state of this published promise, which has a node from now on. If the link that has settled it still has its place, that passes to the
  /// node when the link leaves.
  final func stateWithNode() -> FamilyState {
    let state = family.state
    guard state.tag == .none || state.tag == .inherited else { return state }
    // Here a family begins, if there is none.
    let stripe = state.stripe ?? FamilyStripe(for: self)
    let node = FamilyNode(of: self, stripe: stripe)
    stripe.locked { _ = family.own(node) }
    return family.state
  }

  /// This promise is closed: no walk finds it by its node any more. The caller holds it.
  final func hideFromWalks() {
    let state = family.state
    guard state.isShown, let stripe = state.stripe else { return }
    stripe.locked { _ = state.withNode { $0.isShown = false } }
  }

  /// Under the stripe: until this promise, which has a node, is closed, walks find it by that. The caller holds it.
  final func showToWalks() {
    _ = family.state.withNode { node in
      node.isShown = true
      family.markShown()
      // In order: who closes it looks for the mark afterwards.
      if cellInOrder.isClosed { node.isShown = false }
    }
  }
}

// MARK: - Claimed in another way than by its link

extension AnyPromise {
  /// This promise was claimed, and not by its link, and is about to be published: by a cancellation, or because its time is up, its
  /// handler was dropped, or it would wait for itself. If its source is settled, it stays below that (rule 4.0).
  ///
  /// - Parameter isAlone: nothing holds this promise apart from its link.
  final func stayBelowSource(isAlone: Bool = false) {
    if isAlone, !hasLinks { return }
    // Released when nothing is pinned any more.
    var source: AnyPromise?
    stayBelowSource(holding: &source)
  }

  private func stayBelowSource(holding source: inout AnyPromise?) {
    guard let address = producer.pin() else { return }
    defer { producer.unpin() }
    let link = FamilyMember(linkAt: address)
    source = link.withLink { $0.source } ?? nil
    guard let above = familyState(of: link, from: source), let stripe = above.stripe else { return }
    let node = FamilyNode(of: self, stripe: stripe)
    stripe.locked {
      // `false`: the link was faster, when it left.
      guard family.own(node) else { return }
      showToWalks()
      // No `&&`, which would count a reference to the link (see `PinnedReference.read`).
      let isGiven = link.withLink { $0.hasStablePlace ? $0.givePlace(to: FamilyMember(node)) : false } ?? false
      if isGiven {
        family.markHandedOn()
      } else {
        // The source is going to fire the link, or the link was never in the tree.
        _ = above.withNode { $0.insert(FamilyMember(node)) }
      }
    }
  }

  /// Of the source, or of the forward that has let its source go. `nil`: this promise is below nothing.
  private func familyState(of link: FamilyMember, from source: AnyPromise?) -> FamilyState? {
    guard let source else {
      return (link.withLink { $0.forwardStripe } ?? nil).map { FamilyState(inheriting: $0) }
    }
    guard source.cellInOrder.isDone else { return nil }
    let state = source.family.state
    // Handed on to the link, which has the place, or has had it.
    return state.tag == .inherited && state.isHandedOn ? state : source.stateWithNode()
  }

  /// Before publication: links wait for this promise.
  final var hasLinks: Bool {
    let state = cellHint
    return state.head != 0 || state.isPruning
  }
}

// MARK: - Parents

extension AnyPromise {
  /// A client is about to get `source`, for which this promise waits, or did until now. A cancel of the source is to find this promise.
  ///
  /// - Returns: `false` if this promise has been claimed meanwhile.
  final func showSource(_ source: AnyPromise) -> Bool {
    // The thread that settles the source claims it, and then looks whether its link holds the only reference. It sees our reference, or
    // we see the claim.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let state = source.cellInOrder
    guard state.isClaimed else { return true }
    // It publishes the source, and then looks for the mark. It sees that, or we see the publication.
    if !state.isDone { _ = source.family.markWanted() }
    if source.cellInOrder.isDone, !showSettledSource(source) { return false }
    // In order: a settling thread claims, and then looks at the family of the source.
    return cellInOrder.isOpen
  }

  /// Returns `false` if this promise waits for the source no more.
  private func showSettledSource(_ source: AnyPromise) -> Bool {
    let state = source.stateWithNode()
    guard let stripe = state.stripe, let address = producer.pin() else { return false }
    defer { producer.unpin() }
    let link = FamilyMember(linkAt: address)
    // Not a forward that has let the source go.
    guard link.withLink({ $0.isFrom(source) }) ?? false else { return false }
    // If it is not fired yet, the thread that fires it finds the node.
    guard link.withLink({ $0.hasStablePlace }) ?? false else { return true }
    return stripe.locked {
      // Else the link may have left the tree.
      guard cellInOrder.isOpen, family.state.tag == .none else { return false }
      _ = state.withNode { node in
        let place = FamilyMember(node)
        if !link.isPlaced {
          if node.early.isNone { node.early = link }
        } else if state.isHandedOn, !place.isPlaced, link.place.parent != place {
          place.takePlace(of: link)
          node.insert(link)
          // Its own link has no place any more.
          if !source.cell.isClosed { source.showToWalks() }
        }
      }
      // A dropped job marks its link, and then looks for its place. It sees that, or we see the mark.
      return link.withLink { !$0.isDetachedInOrder } ?? false
    }
  }
}
