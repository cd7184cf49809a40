import Synchronization

// A cancel finds the promises that are pending below a settled promise in its family tree (rule 4.2). `FamilyNode`
// describes the tree. A pending promise needs no tree, because its list leads to all promises that wait for it.
//
// A reaction enters the tree when a settled promise fires it, and leaves the tree when its target is closed. If only
// its reaction holds a settled promise, no cancel can begin there. Then the promise needs no node, and the reaction
// that it fires takes the place of the reaction that settled it. A chain whose promises are not held needs no tree at
// all.

// MARK: - Settling

extension AnyPromise {
  /// Puts a fired reaction into the family tree of this settled promise, so that a cancel finds the reaction's target.
  ///
  /// Called before the handler of the reaction is scheduled, or after the outcome has passed to its target.
  ///
  /// - Parameter settler: the reaction that has settled this promise, if it held the only reference to the promise at
  ///   its publication, and no other reaction waited then.
  final func place(_ reaction: Reaction, inPlaceOf settler: Reaction?) {
    var state = family.state
    // No cancel can begin here, unless a client gets this promise as the `parent` of the reaction's target.
    let isAlone = settler != nil && !state.isWanted && state.tag != .owned
    let member = FamilyMember(reactionAt: location(of: reaction))
    if state.tag == .none {
      if isAlone || family.setOnly(member) { return }
      state = stateWithNode()
    }
    guard let stripe = state.stripe else { return }
    if isAlone, stripe.locked({ handOn(from: settler, to: member) }) { return }
    // Passed on without being counted.
    var node = state.tag == .owned ? nil : FamilyNode(of: self, stripe: stripe)
    stripe.locked {
      if let node = node.take() { _ = family.own(node) }
      // A target with a node was cancelled after the reaction was fired, and has a place already.
      guard !reaction.hasTargetWithNode else { return }
      _ = family.state.withNode { node in
        node.insert(member)
        if node.early == member { node.early = .none }
      }
    }
  }

  /// Gives the place of the settler to the fired reaction. Called under the stripe. Returns `false` if this promise
  /// needs a node after all.
  private func handOn(from settler: Reaction?, to member: FamilyMember) -> Bool {
    let state = family.state
    guard state.tag != .owned, !state.isWanted else { return false }
    _ = settler?.givePlace(to: member)
    family.markHandedOn()
    return true
  }

  /// Creates a node for this published promise, unless it has one, and returns the state of the family word.
  ///
  /// A new node has no place. If the reaction that has settled the promise still has one, the node gets that place when
  /// the reaction leaves. A promise that is in no family begins one here.
  final func stateWithNode() -> FamilyState {
    let state = family.state
    guard state.tag == .none || state.tag == .inherited else { return state }
    let stripe = state.stripe ?? FamilyStripe(for: self)
    let node = FamilyNode(of: self, stripe: stripe)
    stripe.locked { _ = family.own(node) }
    return family.state
  }

  /// Reverts `showToWalks`. Called by the thread that has closed this promise, before it releases the promise.
  @inline(__always)
  final func hideFromWalks() {
    let state = family.state
    if state.isShown { hideNode(in: state) }
  }

  /// Not inlined, because most promises are not shown.
  @inline(never)
  private func hideNode(in state: FamilyState) {
    state.stripe?.locked { _ = state.withNode { $0.isShown = false } }
  }

  /// Lets walks find this promise by its node until the promise is closed. Called under the stripe. The caller retains
  /// the promise.
  final func showToWalks() {
    _ = family.state.withNode { node in
      node.isShown = true
      family.markShown()
      // Sequentially consistent: pairs with the exchange that closes the promise. The closing thread looks for the mark
      // afterwards.
      if stateInOrder.isClosed { node.isShown = false }
    }
  }
}

// MARK: - Claimed in another way than by its reaction

extension AnyPromise {
  /// Keeps this promise below its source, if the source is settled (rule 4.0).
  ///
  /// Needed if this promise was claimed by something other than its reaction: a cancellation, an expired time limit, or
  /// a ring. Called by the claimer before it publishes the promise.
  ///
  /// - Parameter isAlone: whether only its reaction holds this promise.
  final func stayBelowSource(isAlone: Bool = false) {
    if isAlone, !hasReactions { return }
    // Released after the reaction was unpinned.
    var source: AnyPromise?
    stayBelowSource(holding: &source)
  }

  private func stayBelowSource(holding source: inout AnyPromise?) {
    guard let address = producer.pin() else { return }
    defer { producer.unpin() }
    let reaction = FamilyMember(reactionAt: address)
    source = reaction.withReaction { $0.source } ?? nil
    guard let above = familyState(of: reaction, from: source), let stripe = above.stripe else { return }
    let node = FamilyNode(of: self, stripe: stripe)
    stripe.locked {
      // The node was created when the reaction left.
      guard family.own(node) else { return }
      showToWalks()
      // No `&&`, which would count a reference to the reaction (see `PinnedReference.read`).
      let isGiven = reaction.withReaction { $0.hasStablePlace ? $0.givePlace(to: FamilyMember(node)) : false } ?? false
      if isGiven {
        family.markHandedOn()
      } else {
        // The reaction is being fired, or it has no place because the source was not held.
        _ = above.withNode { $0.insert(FamilyMember(node)) }
      }
    }
  }

  /// The state of the family in which this promise is: that of the source, or of a forward that has released its
  /// source. `nil` if this promise is below nothing.
  private func familyState(of reaction: FamilyMember, from source: AnyPromise?) -> FamilyState? {
    guard let source else {
      return (reaction.withReaction { $0.forwardStripe } ?? nil).map { FamilyState(inheriting: $0) }
    }
    guard source.stateInOrder.isDone else { return nil }
    let state = source.family.state
    // After the place was handed on, only the reaction has one.
    return state.tag == .inherited && state.isHandedOn ? state : source.stateWithNode()
  }

  /// Whether reactions wait for this promise. Meaningful before its publication only.
  final var hasReactions: Bool {
    let state = relaxedState
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
    // Pairs with the exchange in `claim`. The settling thread claims the source, and then checks whether its reaction
    // holds the only reference. Either that thread sees the caller's reference, or this thread sees the claim.
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    let state = source.stateInOrder
    guard state.isClaimed else { return true }
    // Then the settling thread publishes the source, and looks for the mark. Either it sees the mark, or this thread
    // sees the publication.
    if !state.isDone { source.family.markWanted() }
    if source.stateInOrder.isDone, !showSettledSource(source) { return false }
    // Sequentially consistent: pairs with the exchange in `claim`. A thread that settles this promise claims it, and
    // then looks at the family of the source.
    return stateInOrder.isOpen
  }

  /// Does the same for a source that was published.
  private func showSettledSource(_ source: AnyPromise) -> Bool {
    let state = source.stateWithNode()
    guard let stripe = state.stripe, let address = producer.pin() else { return false }
    defer { producer.unpin() }
    let reaction = FamilyMember(reactionAt: address)
    // A forward may have released the source.
    guard reaction.withReaction({ $0.isFrom(source) }) ?? false else { return false }
    // If there is no place yet, the thread that fires the reaction finds the node, and places the reaction there.
    guard reaction.withReaction({ $0.hasStablePlace }) ?? false else { return true }
    return stripe.locked {
      // The reaction may have left the tree meanwhile.
      guard stateInOrder.isOpen, family.state.tag == .none else { return false }
      _ = state.withNode { node in
        let place = FamilyMember(node)
        if !reaction.isPlaced {
          if node.early.isNone { node.early = reaction }
        } else if state.isHandedOn, !place.isPlaced, reaction.place.parent != place {
          place.takePlace(of: reaction)
          node.insert(reaction)
          // The reaction that settled the source has no place any more.
          if !source.acquiredState.isClosed { source.showToWalks() }
        }
      }
      // A thread that drops a job marks the reaction, and then looks for its place. Either that thread sees the place,
      // or this thread sees the mark.
      return reaction.withReaction { !$0.isDetachedInOrder } ?? false
    }
  }
}
