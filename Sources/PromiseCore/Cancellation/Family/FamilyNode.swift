/// The place of a settled promise in its family tree (rule 4.2).
///
///     first ── settled, held: node ──┬── reaction, its handler runs
///       └─ second, settled, held: node ──┬── reaction
///                                        └── reaction
///
/// - A *family* is a settled promise, called its *first promise*, and everything below it that a cancel may have to
///   find.
/// - A promise is *held* if something other than the reaction that settled it refers to it. A cancel can only begin at
///   a held promise.
/// - The *members* of the tree are the reactions that a settled promise has fired, and the nodes of held promises.
/// - The *place* of a member is its parent and its siblings.
///
/// The promise retains its node. When the promise is deallocated, the only child of the node takes the node's place. A
/// node with two or more children stays without a promise until one child is left. So there are fewer than two nodes
/// for each settled promise or fired reaction.
///
/// Invariant: a reaction leaves the tree before it releases its target, and the `deinit` of a promise with a node
/// acquires the stripe. Therefore references to other members of the tree need not be counted.
///
/// `@unchecked Sendable`: all fields are accessed under the stripe only.
@safe
final class FamilyNode: @unchecked Sendable {
  /// `nil` once the promise was deallocated, and for the cursor of a walk. Not retained.
  @safe @exclusivity(unchecked) private var promise: Unmanaged<AnyPromise>?
  /// Has no parent in the root of a family.
  @safe @exclusivity(unchecked) fileprivate(set) var place = FamilyPlace()
  /// The first child.
  @safe @exclusivity(unchecked) fileprivate(set) var first = FamilyMember.none
  /// A reaction that the promise fired before it had a node, and that has no place. Set by `AnyPromise.showSource`,
  /// because a client got the promise as a `parent`.
  @safe @exclusivity(unchecked) var early = FamilyMember.none
  let stripe: FamilyStripe
  /// A walk finds the promise by this node. Set if the promise is not closed yet, and no reaction in the tree leads to
  /// it.
  @safe @exclusivity(unchecked) var isShown = false

  init(of promise: AnyPromise?, stripe: FamilyStripe) {
    unsafe self.promise = promise.map { unsafe .passUnretained($0) }
    self.stripe = stripe
  }

  /// The promise, if a walk finds it by this node. The settling thread retains the promise until it has cleared
  /// `isShown`.
  var shownPromise: AnyPromise? {
    guard isShown else { return nil }
    return unsafe promise?.takeUnretainedValue()
  }
}

/// The position of a member in its tree: its parent and its siblings.
struct FamilyPlace {
  /// `none` for a member without a place.
  fileprivate(set) var parent = FamilyMember.none
  /// The previous sibling. For the first child it is the last child.
  fileprivate(set) var previous = FamilyMember.none
  /// The next sibling. `none` for the last child.
  fileprivate(set) var next = FamilyMember.none
}

/// An unretained reference to a member of a tree: a fired reaction or a node.
///
/// `@safe`: callers hold the stripe, have pinned the reaction, or own it.
@safe
struct FamilyMember: Equatable {
  /// An address, or 0 for `none`. Bit 0 is set for a node.
  fileprivate let bits: UInt64

  private init(bits: UInt64) { self.bits = bits }

  static let none = FamilyMember(bits: 0)

  init(reactionAt address: UInt64) { bits = address }
  init(_ node: FamilyNode) { bits = location(of: node) | 1 }

  var isNone: Bool { bits == 0 }

  /// The address of the reaction to which this refers.
  var address: UInt64 { bits }

  @inline(__always)
  func withReaction<Result>(_ body: (Reaction) -> Result) -> Result? {
    if bits == 0 || bits & 1 != 0 { return nil }
    return unsafe Unmanaged<Reaction>.at(bits)._withUnsafeGuaranteedRef(body)
  }

  @inline(__always)
  func withNode<Result>(_ body: (FamilyNode) -> Result) -> Result? {
    if bits & 1 == 0 { return nil }
    return unsafe Unmanaged<FamilyNode>.at(bits & ~1)._withUnsafeGuaranteedRef(body)
  }

  fileprivate(set) var place: FamilyPlace {
    get { withNode { $0.place } ?? withReaction { $0.familyPlace } ?? FamilyPlace() }
    nonmutating set {
      if withNode({ $0.place = newValue }) == nil { _ = withReaction { $0.familyPlace = newValue } }
    }
  }

  /// The member has a place: it stands below a node.
  var isPlaced: Bool { !place.parent.isNone }
}

// MARK: - Changes, under the stripe

extension FamilyNode {
  /// Inserts a member without a place as the last child.
  func insert(_ member: FamilyMember) {
    if first.isNone {
      first = member
      member.place = FamilyPlace(parent: FamilyMember(self), previous: member)
    } else {
      let last = first.place.previous
      member.place = FamilyPlace(parent: FamilyMember(self), previous: last)
      last.place.next = member
      first.place.previous = member
    }
  }

  /// Inserts a member without a place as the first child.
  func insertFirst(_ member: FamilyMember) {
    let second = first
    insert(member)
    if second.isNone { return }
    let last = member.place.previous
    last.place.next = .none
    member.place.next = second
    first = member
  }

  /// Inserts a member without a place after a child.
  func insert(_ member: FamilyMember, behind sibling: FamilyMember) {
    let next = sibling.place.next
    if next.isNone { return insert(member) }
    member.place = FamilyPlace(parent: FamilyMember(self), previous: sibling, next: next)
    sibling.place.next = member
    next.place.previous = member
  }

  /// Separates the node from its promise, which is being deallocated.
  func disown() {
    promise = nil
    Self.removeUnneeded(FamilyMember(self))
  }

  /// Removes the member if it is a node that is no longer needed, then its parent, and so on. This is a loop (rule
  /// 6.4).
  ///
  /// A removed node is released here, under the stripe. That runs no other code.
  fileprivate static func removeUnneeded(_ member: FamilyMember) {
    var member = member
    while !member.isNone {
      member = member.withNode { $0.removeIfUnneeded() } ?? .none
    }
  }

  /// Removes this node if it is no longer needed. Returns the parent if that has one child less now.
  private func removeIfUnneeded() -> FamilyMember {
    guard unsafe promise == nil else { return .none }
    let parent = place.parent
    let only = first
    if only.isNone {
      if !parent.isNone { FamilyMember(self).unlink() }
    } else {
      guard only.place.next.isNone else { return .none }
      if parent.isNone { only.place = FamilyPlace() } else { only.takePlace(of: FamilyMember(self)) }
    }
    unsafe Unmanaged.passUnretained(self).release()
    // A child that took the place of this node leaves the number of the parent's children unchanged.
    return only.isNone ? parent : .none
  }
}

extension FamilyMember {
  /// Takes the place of a member, which has none afterwards. The children of that member stay below it.
  func takePlace(of old: FamilyMember) {
    let place = old.place
    old.place = FamilyPlace()
    self.place = place
    _ = place.parent.withNode { parent in
      if parent.first != old { place.previous.place.next = self } else { parent.first = self }
      let next = place.next.isNone ? parent.first : place.next
      next.place.previous = self
    }
  }

  /// Removes this member from the tree, and then the nodes above that are no longer needed.
  func removeFromTree() {
    let parent = place.parent
    unlink()
    FamilyNode.removeUnneeded(parent)
  }

  fileprivate func unlink() {
    let place = place
    self.place = FamilyPlace()
    _ = place.parent.withNode { parent in
      if parent.first != self { place.previous.place.next = place.next } else { parent.first = place.next }
      let next = place.next.isNone ? parent.first : place.next
      if !next.isNone { next.place.previous = place.previous }
    }
  }
}
