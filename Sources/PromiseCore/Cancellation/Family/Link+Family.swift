import Synchronization

extension Link {
  /// The stripe of the family in which this link may have a place. The caller owns the link.
  final var familyStripe: FamilyStripe? {
    unsafe sourceReference?._withUnsafeGuaranteedRef { source in
      let state = source.family.state
      return state.only.isNone ? state.stripe : FamilyStripe(for: source)
    } ?? forwardStripe
  }

  /// The source is in no family, and nothing but this link is below it.
  private var isOnlyBelowSource: Bool {
    let place = FamilyMember(linkAt: location(of: self))
    return unsafe sourceReference?._withUnsafeGuaranteedRef { $0.family.state.only == place } ?? false
  }

  /// This link stands below a node of its source, if it had a place before.
  private func beginFamilyOfSource() {
    _ = unsafe sourceReference?._withUnsafeGuaranteedRef { $0.stateWithNode() }
  }

  /// The same, kept by a forward that has let its source go.
  final var forwardStripe: FamilyStripe? { traits.contains(.forwards) ? withAdopting { $0.stripe } : nil }

  /// Where the link stands in the tree, under the stripe.
  final var familyPlace: FamilyPlace {
    get { if case .placed(let place) = stand { place } else { FamilyPlace() } }
    set { stand = newValue.parent.isNone ? .nowhere : .placed(newValue) }
  }

  /// For who does not own the link: its context was taken, and so its place, if it has one, may be looked at under the stripe.
  final var hasStablePlace: Bool {
    // Pairs with `becomeFired` and `markContextTaken`: whoever fires the link looks for a node of the source afterwards.
    let state = LinkWord(bits: word.load(ordering: .sequentiallyConsistent))
    return state.isFired && (!state.traits.contains(.always) || state.traits.contains(.contextTaken))
  }

  /// Pairs with `markDropped`.
  final var isDetachedInOrder: Bool { LinkWord(bits: word.load(ordering: .sequentiallyConsistent)).isDetached }

  /// The context has dropped the job: no client gets the source by the target any more.
  final func markDropped() { word.bitwiseOr(LinkWord.detachedBit, ordering: .sequentiallyConsistent) }

  /// An `always` was fired, and its context is taken.
  final func markContextTaken() {
    word.bitwiseOr(UInt64(Traits.contextTaken.rawValue) << 48, ordering: .sequentiallyConsistent)
  }

  /// The target was claimed in another way, and stays below the source by a node.
  final var hasTargetWithNode: Bool {
    unsafe targetReference?._withUnsafeGuaranteedRef { $0.family.state.tag == .owned } ?? false
  }

  /// Without counting a reference.
  final func isFrom(_ promise: AnyPromise) -> Bool {
    unsafe sourceReference?._withUnsafeGuaranteedRef { $0 === promise } ?? false
  }

  /// Under the stripe: another member gets the place of this link. Returns `false` if it has none.
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

  /// The link has claimed its target, and is about to publish it. Returns `false` if it stands below nothing that could be cancelled.
  ///
  /// - Parameter isAlone: nothing but this link holds the target.
  final func inheritFamily(to target: AnyPromise, isAlone: Bool) -> Bool {
    guard let stripe = familyStripe, !leaveUnheldRoot(of: stripe) else { return false }
    // Nothing will ever be below the target.
    if isAlone, !target.hasLinks { return true }
    if isOnlyBelowSource { beginFamilyOfSource() }
    target.family.inherit(stripe)
    return true
  }

  /// If the source is held by nothing but this link any more, and began the family, nobody can ask for what is below it.
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

  /// Under the stripe.
  private func removePlace() {
    let place = FamilyMember(linkAt: location(of: self))
    if place.isPlaced { place.leave() }
    forgetEarly()
    unsafe sourceReference?._withUnsafeGuaranteedRef { $0.family.removeOnly(place) }
  }

  /// The link has settled its target, or will not do so any more. If something may be, or come, below the target, the target gets the
  /// link's place.
  ///
  /// - Parameters:
  ///   - hasSettled: the link has settled its target.
  ///   - isAlone: nothing but this link held the target when it was published.
  final func leaveFamily(hasSettled: Bool, isAlone: Bool = false) {
    guard let stripe = familyStripe, let target = unsafe targetReference else { return }
    unsafe target._withUnsafeGuaranteedRef { leaveFamily(of: stripe, $0, hasSettled: hasSettled, isAlone: isAlone) }
  }

  private func leaveFamily(of stripe: FamilyStripe, _ target: AnyPromise, hasSettled: Bool, isAlone: Bool) {
    let state = target.family.state
    if state.isHandedOn { return }
    let cell = target.cell
    let isReachable = hasSettled && !(isAlone && !state.isWanted || holdsOnlyReferenceToTarget)
    // Who has settled the target in another way has given it a place, if it needs one.
    let isBeingSettled = hasSettled ? !cell.isClosed : !cell.isDone
    let isNeeded = !cell.isMoved && (isBeingSettled || isReachable)
    if isNeeded || state.tag == .owned, isOnlyBelowSource { beginFamilyOfSource() }
    let node = isNeeded && state.tag != .owned ? FamilyNode(of: target, stripe: stripe) : nil
    stripe.locked {
      target.takePlace(of: self, in: stripe, as: node)
      removePlace()
    }
  }

  /// The link, which did not settle its target, is not reached from that any more.
  final func leaveSource() {
    guard let stripe = familyStripe else { return }
    stripe.locked { forgetEarly() }
  }

  fileprivate final func forgetEarly() {
    let place = FamilyMember(linkAt: location(of: self))
    _ = withSourceNode { if $0.early == place { $0.early = .none } }
  }

  /// A forward is about to let its settled source go, and keeps its place in the tree. The caller owns the link, and nobody looks at it now.
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
  /// Under the stripe: this promise gets the place of its link, if that has one, and this promise has a node without a place, or gets this one.
  fileprivate final func takePlace(of link: Link, in stripe: FamilyStripe, as node: FamilyNode?) {
    guard link.hasPlace else { return }
    if let node { _ = family.own(node) }
    let isGiven = family.state.withNode { node in
      node.stripe == stripe && !FamilyMember(node).isPlaced && link.givePlace(to: FamilyMember(node))
    }
    guard isGiven ?? false else { return }
    family.markHandedOn()
    // Nothing in the tree leads to it any more but its node.
    if !cell.isClosed { showToWalks() }
  }
}

extension Link {
  /// Under the stripe.
  fileprivate final var hasPlace: Bool {
    let place = FamilyMember(linkAt: location(of: self))
    return place.isPlaced || withSourceNode { $0.early == place } ?? false
  }
}
