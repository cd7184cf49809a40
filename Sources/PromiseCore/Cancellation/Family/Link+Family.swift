import Synchronization

extension Link {
  /// The stripe of the family in which this link may have a place. The caller owns the link.
  final var familyStripe: FamilyStripe? {
    unsafe sourceReference?._withUnsafeGuaranteedRef { source in
      let state = source.family.state
      return state.only.isNone ? state.stripe : FamilyStripe(for: source)
    } ?? forwardStripe
  }

  /// The source is in no family, and only this link is below the source.
  private var isOnlyBelowSource: Bool {
    let place = FamilyMember(linkAt: location(of: self))
    return unsafe sourceReference?._withUnsafeGuaranteedRef { $0.family.state.only == place } ?? false
  }

  /// Creates a node for the source. This link becomes its child, if only this link was below the source.
  private func beginFamilyOfSource() {
    _ = unsafe sourceReference?._withUnsafeGuaranteedRef { $0.stateWithNode() }
  }

  /// The stripe of a forward that has released its source.
  final var forwardStripe: FamilyStripe? { traits.contains(.forwards) ? withAdopting { $0.stripe } : nil }

  /// The place of the link in its tree. Under the stripe.
  final var familyPlace: FamilyPlace {
    get { if case .placed(let place) = stand { place } else { FamilyPlace() } }
    set { stand = newValue.parent.isNone ? .nowhere : .placed(newValue) }
  }

  /// The context was taken out of the link, so a thread that does not own the link may read its place under the stripe.
  final var hasStablePlace: Bool {
    // Pairs with `becomeFired` and `markContextTaken`. The firing thread looks for a node of the source afterwards.
    let state = LinkWord(bits: word.load(ordering: .sequentiallyConsistent))
    return state.isFired && (!state.traits.contains(.always) || state.traits.contains(.contextTaken))
  }

  /// The link was detached, or its job was dropped. Pairs with `markDropped`.
  final var isDetachedInOrder: Bool { LinkWord(bits: word.load(ordering: .sequentiallyConsistent)).isDetached }

  /// Records that the context has dropped the job. From now on the target has no `parent`.
  final func markDropped() { word.bitwiseOr(LinkWord.detachedBit, ordering: .sequentiallyConsistent) }

  /// Records that the context was taken out of a fired `always`.
  final func markContextTaken() {
    word.bitwiseOr(UInt64(Traits.contextTaken.rawValue) << 48, ordering: .sequentiallyConsistent)
  }

  /// The target has a node, because it was claimed by something other than this link.
  final var hasTargetWithNode: Bool {
    unsafe targetReference?._withUnsafeGuaranteedRef { $0.family.state.tag == .owned } ?? false
  }

  /// Compares without counting a reference.
  final func isFrom(_ promise: AnyPromise) -> Bool {
    unsafe sourceReference?._withUnsafeGuaranteedRef { $0 === promise } ?? false
  }

  /// Gives the place of this link to another member. Under the stripe. Returns `false` if the link has no place.
  final func givePlace(to member: FamilyMember) -> Bool {
    let place = FamilyMember(linkAt: location(of: self))
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

  /// Lets the target, which this link has claimed, inherit the family. Called before the publication. Returns `false`
  /// if the link is in no family.
  ///
  /// - Parameter isAlone: only this link holds the target.
  final func inheritFamily(to target: AnyPromise, isAlone: Bool) -> Bool {
    guard let stripe = familyStripe, !leaveUnheldRoot(of: stripe) else { return false }
    // No promise will ever be below the target.
    if isAlone, !target.hasLinks { return true }
    if isOnlyBelowSource { beginFamilyOfSource() }
    target.family.inherit(stripe)
    return true
  }

  /// Leaves the family, if its first promise is the source and only this link holds the source. Then no cancel can
  /// begin there.
  private func leaveUnheldRoot(of stripe: FamilyStripe) -> Bool {
    guard let source = unsafe sourceReference, unsafe ReferenceCount.isOne(source),
      unsafe source._withUnsafeGuaranteedRef({ $0.family.state.tag != .inherited })
    else { return false }
    return stripe.locked {
      let isBelowAnother = withSourceNode { FamilyMember($0).isPlaced } ?? false
      if !isBelowAnother { removePlace() }
      return !isBelowAnother
    }
  }

  /// Removes this link from the tree. Under the stripe.
  private func removePlace() {
    let place = FamilyMember(linkAt: location(of: self))
    if place.isPlaced { place.leave() }
    forgetEarly()
    unsafe sourceReference?._withUnsafeGuaranteedRef { $0.family.removeOnly(place) }
  }

  /// Removes this link from the tree, because it has settled its target, or will not do so any more. If promises may be
  /// below the target, now or later, the target gets the place of the link.
  ///
  /// - Parameters:
  ///   - hasSettled: the link has settled its target.
  ///   - isAlone: only this link held the target when the target was published.
  final func leaveFamily(hasSettled: Bool, isAlone: Bool = false) {
    guard let stripe = familyStripe, let target = unsafe targetReference else { return }
    unsafe target._withUnsafeGuaranteedRef { leaveFamily(of: stripe, $0, hasSettled: hasSettled, isAlone: isAlone) }
  }

  private func leaveFamily(of stripe: FamilyStripe, _ target: AnyPromise, hasSettled: Bool, isAlone: Bool) {
    let state = target.family.state
    if state.isHandedOn { return }
    let cell = target.cell
    let isReachable = hasSettled && !(isAlone && !state.isWanted || holdsOnlyReferenceToTarget)
    // Any other claimer gives the target a place before it publishes the target.
    let isBeingSettled = hasSettled ? !cell.isClosed : !cell.isDone
    let isNeeded = !cell.isMoved && (isBeingSettled || isReachable)
    if isNeeded || state.tag == .owned, isOnlyBelowSource { beginFamilyOfSource() }
    let node = isNeeded && state.tag != .owned ? FamilyNode(of: target, stripe: stripe) : nil
    stripe.locked {
      target.takePlace(of: self, in: stripe, as: node)
      removePlace()
    }
  }

  /// Removes what `parent` may have recorded between `leaveFamily` and the retirement of the link.
  final func leaveSource() {
    guard let stripe = familyStripe else { return }
    stripe.locked { forgetEarly() }
  }

  fileprivate final func forgetEarly() {
    let place = FamilyMember(linkAt: location(of: self))
    _ = withSourceNode { if $0.early == place { $0.early = .none } }
  }

  /// Keeps the place of a forward that is about to release its settled source. The caller owns the link, and no other
  /// thread reads it now.
  final func keepPlaceWithoutSource() {
    guard let stripe = familyStripe, !leaveUnheldRoot(of: stripe) else { return }
    asAdopting.stripe = stripe
    if isOnlyBelowSource { beginFamilyOfSource() }
    stripe.locked {
      _ = withSourceNode { node in
        let place = FamilyMember(linkAt: location(of: self))
        guard node.early == place else { return }
        node.early = .none
        if !place.isPlaced { node.insert(place) }
      }
    }
  }
}

extension AnyPromise {
  /// Gives the place of the link to the node of this promise, or to the new node. Does nothing if the link has no
  /// place, or the node of this promise has one. Under the stripe.
  fileprivate final func takePlace(of link: Link, in stripe: FamilyStripe, as node: FamilyNode?) {
    guard link.hasPlace else { return }
    if let node { _ = family.own(node) }
    let isGiven = family.state.withNode { node in
      node.stripe == stripe && !FamilyMember(node).isPlaced && link.givePlace(to: FamilyMember(node))
    }
    guard isGiven ?? false else { return }
    family.markHandedOn()
    // No link in the tree leads to this promise any more.
    if !cell.isClosed { showToWalks() }
  }
}

extension Link {
  /// The link has a place in the tree. Under the stripe.
  fileprivate final var hasPlace: Bool {
    let place = FamilyMember(linkAt: location(of: self))
    return place.isPlaced || withSourceNode { $0.early == place } ?? false
  }
}
