/// The place of a settled promise in its family tree (rule 4.2).
///
///     first ── settled, held: node ──┬── link, its handler runs
///       └─ second, settled, held: node ──┬── link
///                                        └── link
///
/// A node belongs to its promise, which retains it. When the promise is deallocated, what stands below the node takes its place. If
/// two or more stand there, the node stays without a promise until only one is left. So there are fewer than two nodes for each
/// settled promise or fired link.
///
/// All fields are touched under the stripe only. References to other members of the tree are not counted: a link leaves the tree
/// before it releases its target, and a promise with a node acquires the stripe in its `deinit`.
///
/// `@unchecked Sendable`: see above.
@safe
final class FamilyNode: @unchecked Sendable {
  /// `nil` once the promise was deallocated, and for the cursor of a walk.
  @safe @exclusivity(unchecked) private var promise: Unmanaged<AnyPromise>?
  /// Without a parent for the root of a family.
  @safe @exclusivity(unchecked) fileprivate(set) var place = FamilyPlace()
  @safe @exclusivity(unchecked) fileprivate(set) var first = FamilyMember.none
  /// A link that the promise fired before it had a node, see `AnyPromise.parent`.
  @safe @exclusivity(unchecked) var early = FamilyMember.none
  let stripe: FamilyStripe
  /// The promise is being settled, and by nothing that stands here: it is found by this node until it is closed.
  @safe @exclusivity(unchecked) var isShown = false

  init(of promise: AnyPromise?, stripe: FamilyStripe) {
    unsafe self.promise = promise.map { unsafe .passUnretained($0) }
    self.stripe = stripe
  }

  /// The promise, for a walk.
  var shownPromise: AnyPromise? {
    guard isShown else { return nil }
    return unsafe promise?.takeUnretainedValue()
  }
}

/// Where a member stands in its tree.
struct FamilyPlace {
  /// Unretained; `none` for a member that stands below no node.
  fileprivate(set) var parent = FamilyMember.none
  /// Of the first: the last.
  fileprivate(set) var previous = FamilyMember.none
  /// Of the last: none.
  fileprivate(set) var next = FamilyMember.none
}

/// An unretained reference to what stands in a tree: a fired link, whose target is pending, or a node.
///
/// `@safe`: whoever has one holds the stripe, or keeps the member in another way.
@safe
struct FamilyMember: Equatable {
  /// 0: none. Bit 0: a node.
  fileprivate let bits: UInt64

  private init(bits: UInt64) { self.bits = bits }

  static let none = FamilyMember(bits: 0)

  init(linkAt address: UInt64) { bits = address }
  init(_ node: FamilyNode) { bits = location(of: node) | 1 }

  var isNone: Bool { bits == 0 }

  /// Of a link.
  var address: UInt64 { bits }

  @inline(__always)
  func withLink<Result>(_ body: (Link) -> Result) -> Result? {
    if bits == 0 || bits & 1 != 0 { return nil }
    return unsafe Unmanaged<Link>.at(bits)._withUnsafeGuaranteedRef(body)
  }

  @inline(__always)
  func withNode<Result>(_ body: (FamilyNode) -> Result) -> Result? {
    if bits & 1 == 0 { return nil }
    return unsafe Unmanaged<FamilyNode>.at(bits & ~1)._withUnsafeGuaranteedRef(body)
  }

  fileprivate(set) var place: FamilyPlace {
    get { withNode { $0.place } ?? withLink { $0.familyPlace } ?? FamilyPlace() }
    nonmutating set {
      if withNode({ $0.place = newValue }) == nil { _ = withLink { $0.familyPlace = newValue } }
    }
  }

  /// It stands below a node.
  var isPlaced: Bool { !place.parent.isNone }
}

// MARK: - Changes, under the stripe

extension FamilyNode {
  /// Puts a member without a place below this node, as the last.
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

  /// The same, as the first.
  func insertFirst(_ member: FamilyMember) {
    let second = first
    insert(member)
    if second.isNone { return }
    let last = member.place.previous
    last.place.next = .none
    member.place.next = second
    first = member
  }

  /// The same, behind a sibling.
  func insert(_ member: FamilyMember, behind sibling: FamilyMember) {
    let next = sibling.place.next
    if next.isNone { return insert(member) }
    member.place = FamilyPlace(parent: FamilyMember(self), previous: sibling, next: next)
    sibling.place.next = member
    next.place.previous = member
  }

  /// The promise is being deallocated.
  func disown() {
    promise = nil
    Self.tidy(FamilyMember(self))
  }

  /// Removes nodes that are not needed any more, beginning with this one. A loop, however many.
  ///
  /// Nodes of no promise are released here. That runs no other code.
  fileprivate static func tidy(_ member: FamilyMember) {
    var member = member
    while !member.isNone {
      member = member.withNode { $0.goIfNotNeeded() } ?? .none
    }
  }

  /// Returns the parent of a node that was removed.
  private func goIfNotNeeded() -> FamilyMember {
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
    // Where another took its place, the parent has as many children as before.
    return only.isNone ? parent : .none
  }
}

extension FamilyMember {
  /// Takes the place of a member, which has none from now on. What stood below that stays there.
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

  /// Leaves the tree, and removes the nodes that are not needed any more.
  func leave() {
    let parent = place.parent
    unlink()
    FamilyNode.tidy(parent)
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
