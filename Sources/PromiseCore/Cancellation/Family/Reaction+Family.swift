import Synchronization

extension Reaction {
  /// The stripe of the family in which this reaction may have a place. The caller owns the reaction.
  final var familyStripe: FamilyStripe? {
    unsafe sourceReference?._withUnsafeGuaranteedRef { source in
      let state = source.family.state
      return state.only.isNone ? state.stripe : FamilyStripe(for: source)
    } ?? forwardStripe
  }

  /// Whether the source is in no family, and this reaction is the only member below it.
  private var isOnlyBelowSource: Bool {
    let place = FamilyMember(reactionAt: location(of: self))
    return unsafe sourceReference?._withUnsafeGuaranteedRef { $0.family.state.only == place } ?? false
  }

  /// Creates a node for the source. If this reaction was the only member below the source, it becomes a child of the
  /// node.
  private func beginFamilyOfSource() {
    _ = unsafe sourceReference?._withUnsafeGuaranteedRef { $0.stateWithNode() }
  }

  /// The stripe of a forward that has released its source.
  final var forwardStripe: FamilyStripe? { traits.contains(.forwards) ? withAdopting { $0.stripe } : nil }

  /// The place of the reaction in its tree. Accessed under the stripe.
  final var familyPlace: FamilyPlace {
    get { if case .place(let place) = contextOrPlace { place } else { FamilyPlace() } }
    set { contextOrPlace = newValue.parent.isNone ? .neither : .place(newValue) }
  }

  /// Whether a thread that does not own the reaction may access its place under the stripe. That is so once the reaction
  /// was fired, because no thread needs the context any more, which is stored in the same field.
  final var hasStablePlace: Bool {
    // Sequentially consistent. Pairs with `markFired`, after which the firing thread looks for a node of the source.
    ReactionWord(bits: word.load(ordering: .sequentiallyConsistent)).isFired
  }

  /// Whether the reaction was detached, or its job was dropped. Sequentially consistent: pairs with `markDropped`.
  final var isDetachedInOrder: Bool { ReactionWord(bits: word.load(ordering: .sequentiallyConsistent)).isDetached }

  /// Records that the context has dropped the job. From now on the target has no `parent`. Sequentially consistent:
  /// pairs with `isDetachedInOrder`.
  final func markDropped() { word.bitwiseOr(ReactionWord.detachedBit, ordering: .sequentiallyConsistent) }

  /// Whether the target has a node, because it was claimed by something other than this reaction.
  final var hasTargetWithNode: Bool {
    unsafe targetReference?._withUnsafeGuaranteedRef { $0.family.state.tag == .owned } ?? false
  }

  /// Whether `promise` is the source. Compares without counting a reference.
  final func isFrom(_ promise: AnyPromise) -> Bool {
    unsafe sourceReference?._withUnsafeGuaranteedRef { $0 === promise } ?? false
  }

  /// Gives the place of this reaction to another member. Called under the stripe. Returns `false` if the reaction has
  /// no place.
  final func givePlace(to member: FamilyMember) -> Bool {
    let place = FamilyMember(reactionAt: location(of: self))
    if place.isPlaced {
      member.takePlace(of: place)
      forgetEarly()
      return true
    }
    return withSourceNode { node in
      guard node.early == place else { return false }
      node.early = .none
      node.insert(member)
      return true
    } ?? false
  }

  private func withSourceNode<Result>(_ body: (FamilyNode) -> Result) -> Result? {
    unsafe sourceReference?._withUnsafeGuaranteedRef { $0.family.state.withNode(body) } ?? nil
  }

  /// Lets the target, which this reaction has claimed, inherit the family. Called before the publication. Returns
  /// `false` if the reaction is in no family.
  ///
  /// - Parameter isAlone: whether only this reaction holds the target.
  final func inheritFamily(to target: AnyPromise, isAlone: Bool) -> Bool {
    guard let stripe = familyStripe, !leaveUnheldRoot(of: stripe) else { return false }
    // Nothing will ever be below the target.
    if isAlone, !target.hasReactions { return true }
    if isOnlyBelowSource { beginFamilyOfSource() }
    target.family.inherit(stripe)
    return true
  }

  /// Leaves the family if the source is its first promise and only this reaction holds the source. Then no cancel can
  /// begin there.
  private func leaveUnheldRoot(of stripe: FamilyStripe) -> Bool {
    guard let source = unsafe sourceReference,
      unsafe source._withUnsafeGuaranteedRef({ $0.family.state.tag != .inherited }),
      unsafe ReferenceCount.isOne(source)
    else { return false }
    return stripe.locked {
      let isBelowAnother = withSourceNode { FamilyMember($0).isPlaced } ?? false
      if !isBelowAnother { removePlace() }
      return !isBelowAnother
    }
  }

  /// Removes this reaction from the tree. Called under the stripe.
  private func removePlace() {
    let place = FamilyMember(reactionAt: location(of: self))
    if place.isPlaced { place.removeFromTree() }
    forgetEarly()
    unsafe sourceReference?._withUnsafeGuaranteedRef { $0.family.removeOnly(place) }
  }

  /// Removes this reaction from the tree, because it has settled its target, or will not do so any more. If promises
  /// may be below the target, now or later, the target gets the place of the reaction.
  ///
  /// - Parameters:
  ///   - hasSettled: whether the reaction has settled its target.
  ///   - isAlone: whether only this reaction held the target when the target was published.
  final func leaveFamily(hasSettled: Bool, isAlone: Bool = false) {
    guard let stripe = familyStripe, let target = unsafe targetReference else { return }
    unsafe target._withUnsafeGuaranteedRef { leaveFamily(of: stripe, $0, hasSettled: hasSettled, isAlone: isAlone) }
  }

  private func leaveFamily(of stripe: FamilyStripe, _ target: AnyPromise, hasSettled: Bool, isAlone: Bool) {
    let state = target.family.state
    if state.isHandedOn { return }
    let targetState = target.acquiredState
    let isReachable = hasSettled && !(isAlone && !state.isWanted || holdsOnlyReferenceToTarget)
    // Any other claimer gives the target a place before it publishes the target.
    let isBeingSettled = hasSettled ? !targetState.isClosed : !targetState.isDone
    let isNeeded = !targetState.isForwarded && (isBeingSettled || isReachable)
    if isNeeded || state.tag == .owned, isOnlyBelowSource { beginFamilyOfSource() }
    let node = isNeeded && state.tag != .owned ? FamilyNode(of: target, stripe: stripe) : nil
    stripe.locked {
      target.takePlace(of: self, in: stripe, as: node)
      removePlace()
    }
  }

  /// Removes what `showSource` may have recorded between `leaveFamily` and the retirement of the reaction.
  final func forgetEarlyUnderStripe() {
    guard let stripe = familyStripe else { return }
    stripe.locked { forgetEarly() }
  }

  fileprivate final func forgetEarly() {
    let place = FamilyMember(reactionAt: location(of: self))
    _ = withSourceNode { if $0.early == place { $0.early = .none } }
  }

  /// Keeps the place of a forward that is about to release its settled source. The caller owns the reaction, and no
  /// other thread reads it meanwhile.
  final func keepPlaceWithoutSource() {
    guard let stripe = familyStripe, !leaveUnheldRoot(of: stripe) else { return }
    asAdopting.stripe = stripe
    if isOnlyBelowSource { beginFamilyOfSource() }
    stripe.locked {
      _ = withSourceNode { node in
        let place = FamilyMember(reactionAt: location(of: self))
        guard node.early == place else { return }
        node.early = .none
        if !place.isPlaced { node.insert(place) }
      }
    }
  }
}

extension AnyPromise {
  /// Gives the place of the reaction to the node of this promise, or to the new node. Does nothing if the reaction has
  /// no place, or if the node of this promise has one. Called under the stripe.
  fileprivate final func takePlace(of reaction: Reaction, in stripe: FamilyStripe, as node: FamilyNode?) {
    guard reaction.hasPlace else { return }
    if let node { _ = family.own(node) }
    let isGiven = family.state.withNode { node in
      node.stripe == stripe && !FamilyMember(node).isPlaced && reaction.givePlace(to: FamilyMember(node))
    }
    guard isGiven ?? false else { return }
    family.markHandedOn()
    // No reaction in the tree leads to this promise any more.
    if !acquiredState.isClosed { showToWalks() }
  }
}

extension Reaction {
  /// Whether the reaction has a place in the tree. Called under the stripe.
  fileprivate final var hasPlace: Bool {
    let place = FamilyMember(reactionAt: location(of: self))
    return place.isPlaced || withSourceNode { $0.early == place } ?? false
  }
}
