extension AnyPromise {
  /// Returns the promises below this settled promise that are not closed, also those below other settled promises. Some
  /// of the promises that it returns may have been closed just now.
  ///
  /// - Complexity: O(*n*), where *n* is the number of members of the tree below this promise.
  final func promisesBelow() -> [AnyPromise] {
    let only = family.state.only
    if !only.isNone {
      let (isStillOnly, target) = FamilyStripe(for: self).locked {
        family.state.only == only ? (true, only.withReaction { $0.target } ?? nil) : (false, nil)
      }
      if isStillOnly { return target.map { [$0] } ?? [] }
    }
    guard var walk = FamilyWalk(below: self) else { return [] }
    while !walk.walkNextPiece() {}
    return walk.found
  }
}

/// A walk through the members below the node of a promise, in preorder.
///
/// The walk holds the stripe for at most `longest` steps at a time. Between two pieces a *cursor* keeps the position.
/// The cursor is a node without a promise. It has a place in the tree, and moves with its siblings when one of them
/// takes the place of a removed node. The walk misses members that are inserted before the cursor, so a cancellation
/// walks again until it finds nothing new.
package struct FamilyWalk {
  /// The greatest number of steps for each acquisition of the stripe. A step visits a member, or returns to its parent.
  package static let longest = 256

  package private(set) var found: [AnyPromise] = []
  /// Retained, so that the root stays in the tree.
  private let promise: AnyPromise
  private let stripe: FamilyStripe
  private let root: FamilyMember
  private var cursor: FamilyNode?

  /// Returns `nil` if the promise has no node.
  package init?(below promise: AnyPromise) {
    let state = promise.family.state
    guard let root = state.withNode({ FamilyMember($0) }), let stripe = state.stripe else { return nil }
    self.promise = promise
    self.stripe = stripe
    self.root = root
  }

  /// Walks one piece under the stripe. Returns `true` at the end of the walk.
  package mutating func walkNextPiece() -> Bool {
    let isFirst = cursor == nil
    if !isFirst { makeRoom() }
    let room = found.capacity
    defer { assert(isFirst || found.capacity == room, "the list has grown under the stripe") }
    return stripe.locked { walkUnderStripe() }
  }

  /// Makes room for all promises that one piece can find. A long list that grew under the stripe would copy itself
  /// there, which takes milliseconds.
  private mutating func makeRoom() {
    let needed = found.count + 2 * Self.longest + 1
    // Doubles the capacity, because each reallocation copies the list.
    if found.capacity < needed { found.reserveCapacity(max(needed, 2 * found.capacity)) }
  }

  /// The position before the next step.
  private enum Position {
    case firstBelow(FamilyMember)
    case behind(FamilyMember)
  }

  private mutating func walkUnderStripe() -> Bool {
    var position = cursor.map { Position.behind(FamilyMember($0)) } ?? .firstBelow(root)
    if cursor == nil { visitEarly(of: root) }
    for _ in 0..<Self.longest {
      guard let next = step(from: position) else {
        moveCursor(to: nil)
        return true
      }
      position = next
    }
    moveCursor(to: position)
    return false
  }

  private mutating func step(from position: Position) -> Position? {
    let next: FamilyMember
    let parent: FamilyMember
    switch position {
    case .firstBelow(let node): (next, parent) = (node.withNode { $0.first } ?? .none, node)
    case .behind(let member): (next, parent) = (member.place.next, member.place.parent)
    }
    if next.isNone { return parent == root ? nil : .behind(parent) }
    return visit(next) ? .firstBelow(next) : .behind(next)
  }

  /// Visits a member. Returns `true` for a node with children.
  ///
  /// The cursor of another walk has no children, and must get none, because it is removed without them.
  private mutating func visit(_ member: FamilyMember) -> Bool {
    // Retaining is safe, because a reaction leaves the tree before it releases its target. A closed target is found
    // too. Promises may be below it, and its node gets the place of the reaction only when the reaction leaves.
    if let target = member.withReaction({ $0.target }) {
      if let target { found.append(target) }
      return false
    }
    if let promise = member.withNode({ $0.shownPromise }) ?? nil { found.append(promise) }
    visitEarly(of: member)
    return member.withNode { !$0.first.isNone } ?? false
  }

  private mutating func visitEarly(of node: FamilyMember) {
    let early = node.withNode { $0.early } ?? .none
    if let target = early.withReaction({ $0.target }) ?? nil { found.append(target) }
  }

  /// Inserts a new cursor before it removes the old one, so that removing the old one does not remove the nodes of the
  /// new position.
  private mutating func moveCursor(to position: Position?) {
    let old = cursor
    cursor = nil
    if let position {
      let new = FamilyNode(of: nil, stripe: stripe)
      switch position {
      case .firstBelow(let node): node.withNode { $0.insertFirst(FamilyMember(new)) }
      case .behind(let member):
        _ = member.place.parent.withNode { $0.insert(FamilyMember(new), behind: member) }
      }
      cursor = new
    }
    if let old { FamilyMember(old).removeFromTree() }
  }
}
