import Synchronization

// A cancel finds the promises that are pending below a settled promise in its family tree (rule 4.2). A pending promise
// needs no tree, because its list leads to all promises that wait for it.
//
// A link enters the tree when a settled promise fires it, and leaves the tree when its target is closed. If only its
// link holds a settled promise, no cancel can begin there. Then the promise needs no node, and the link that it fires
// takes the place of the link that settled it. A chain whose promises are not held needs no tree at all.

// MARK: - Settling

extension AnyPromise {
  /// Puts a fired link into the family tree of this settled promise, so that a cancel finds the link's target.
  ///
  /// Called before the handler of the link is scheduled, or after the outcome has passed to its target.
  ///
  /// - Parameter settler: the link that has settled this promise, if it held the only reference to the promise at its
  ///   publication, and no other link waited then.
  final func place(_ link: Link, inPlaceOf settler: Link?) {
    var state = family.state
    // No cancel can begin here, unless a client gets this promise as the `parent` of the link's target.
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
      // A target with a node was cancelled after the link was fired, and has a place already.
      guard !link.hasTargetWithNode else { return }
      _ = family.state.withNode { node in
        node.insert(member)
        if node.early == member { node.early = .none }
      }
    }
  }

  /// Gives the place of the settler to the fired link. Under the stripe. Returns `false` if this promise needs a node
  /// after all.
  private func handOn(from settler: Link, to member: FamilyMember) -> Bool {
    let state = family.state
    guard state.tag != .owned, !state.isWanted else { return false }
    _ = settler.givePlace(to: member)
    family.markHandedOn()
    return true
  }

  /// Creates a node for this published promise, unless it has one, and returns the state of the family word.
  ///
  /// A new node has no place. If the link that has settled the promise still has one, the node gets that place when the
  /// link leaves. A promise that is in no family begins one here.
  final func stateWithNode() -> FamilyState {
    let state = family.state
    guard state.tag == .none || state.tag == .inherited else { return state }
    let stripe = state.stripe ?? FamilyStripe(for: self)
    let node = FamilyNode(of: self, stripe: stripe)
    stripe.locked { _ = family.own(node) }
    return family.state
  }

  /// Ends `showToWalks`. The thread that has closed this promise calls this before it releases the promise.
  final func hideFromWalks() {
    let state = family.state
    guard state.isShown, let stripe = state.stripe else { return }
    stripe.locked { _ = state.withNode { $0.isShown = false } }
  }

  /// Lets walks find this promise by its node until the promise is closed. Under the stripe. The caller retains the
  /// promise.
  final func showToWalks() {
    _ = family.state.withNode { node in
      node.isShown = true
      family.markShown()
      // In order: the thread that closes the promise looks for the mark afterwards.
      if cellInOrder.isClosed { node.isShown = false }
    }
  }
}

// MARK: - Claimed in another way than by its link

extension AnyPromise {
  /// Keeps this promise below its source, if the source is settled (rule 4.0).
  ///
  /// For a promise that was claimed by something other than its link: a cancellation, an expired time limit, or a ring.
  /// The claimer calls this before it publishes the promise.
  ///
  /// - Parameter isAlone: only its link holds this promise.
  final func stayBelowSource(isAlone: Bool = false) {
    if isAlone, !hasLinks { return }
    // Released after the link was unpinned.
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
      // Another node was made when the link left.
      guard family.own(node) else { return }
      showToWalks()
      // No `&&`, which would count a reference to the link (see `PinnedReference.read`).
      let isGiven = link.withLink { $0.hasStablePlace ? $0.givePlace(to: FamilyMember(node)) : false } ?? false
      if isGiven {
        family.markHandedOn()
      } else {
        // The link is being fired, or it has no place because the source was not held.
        _ = above.withNode { $0.insert(FamilyMember(node)) }
      }
    }
  }

  /// The family of the source, or of a forward that has released its source. `nil` if this promise is below nothing.
  private func familyState(of link: FamilyMember, from source: AnyPromise?) -> FamilyState? {
    guard let source else {
      return (link.withLink { $0.forwardStripe } ?? nil).map { FamilyState(inheriting: $0) }
    }
    guard source.cellInOrder.isDone else { return nil }
    let state = source.family.state
    // After a hand-over only the link has a place.
    return state.tag == .inherited && state.isHandedOn ? state : source.stateWithNode()
  }

  /// Links wait for this promise. Meaningful before publication.
  final var hasLinks: Bool {
    let state = cellHint
    return state.head != 0 || state.isPruning
  }
}

// MARK: - Parents

extension AnyPromise {
  /// Makes sure that a cancel of `source` finds this promise, because a client is about to get `source` as the
  /// `parent`.
  ///
  /// - Returns: `false` if this promise does not wait for `source` any more.
  final func showSource(_ source: AnyPromise) -> Bool {
    // The settling thread claims the source, and then looks whether its link holds the only reference. Either that
    // thread sees our reference, or we see the claim.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let state = source.cellInOrder
    guard state.isClaimed else { return true }
    // Then it publishes the source, and looks for the mark. Either it sees the mark, or we see the publication.
    if !state.isDone { source.family.markWanted() }
    if source.cellInOrder.isDone, !showSettledSource(source) { return false }
    // In order: a thread that settles this promise claims it, and then looks at the family of the source.
    return cellInOrder.isOpen
  }

  /// The part of `showSource` for a published source.
  private func showSettledSource(_ source: AnyPromise) -> Bool {
    let state = source.stateWithNode()
    guard let stripe = state.stripe, let address = producer.pin() else { return false }
    defer { producer.unpin() }
    let link = FamilyMember(linkAt: address)
    // A forward may have released the source.
    guard link.withLink({ $0.isFrom(source) }) ?? false else { return false }
    // The thread that fires the link finds the node.
    guard link.withLink({ $0.hasStablePlace }) ?? false else { return true }
    return stripe.locked {
      // Otherwise the link may have left the tree.
      guard cellInOrder.isOpen, family.state.tag == .none else { return false }
      _ = state.withNode { node in
        let place = FamilyMember(node)
        if !link.isPlaced {
          if node.early.isNone { node.early = link }
        } else if state.isHandedOn, !place.isPlaced, link.place.parent != place {
          place.takePlace(of: link)
          node.insert(link)
          // The link that settled the source has no place any more.
          if !source.cell.isClosed { source.showToWalks() }
        }
      }
      // The thread that drops a job marks the link, and then looks for its place. Either it sees the place, or we see
      // the mark.
      return link.withLink { !$0.isDetachedInOrder } ?? false
    }
  }
}
