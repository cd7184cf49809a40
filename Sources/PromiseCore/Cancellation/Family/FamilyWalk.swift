extension AnyPromise {
  /// The promises below this settled one, and further below through settled ones, that are pending or being settled, and perhaps some that have
  /// just been settled.
  ///
  /// - Complexity: O(*n*), where *n* is the number of members of the tree below this promise.
  final func promisesBelow() -> [AnyPromise] {
    let only = family.state.only
    if !only.isNone {
      let (isStillOnly, target) = FamilyStripe(for: self).locked {
        family.state.only == only ? (true, only.withLink { $0.target } ?? nil) : (false, nil)
      }
      if isStillOnly { return target.map { [$0] } ?? [] }
    }
    guard var walk = FamilyWalk(below: self) else { return [] }
    while !walk.goOn() {}
    return walk.found
  }
}

/// A walk through what stands below the node of a promise, in preorder.
///
/// The stripe is held for at most `longest` steps at a time. Between two pieces a cursor keeps the position: a node of no promise, which
/// stands in the tree and moves with its neighbours when these take the place of a node that is removed. Members that come to stand in
/// front of the cursor are missed: a cancellation walks again until nothing is new.
package struct FamilyWalk {
  /// Each step visits a member, or goes back to the node above.
  package static let longest = 256

  package private(set) var found: [AnyPromise] = []
  private let promise: AnyPromise
  private let stripe: FamilyStripe
  private let root: FamilyMember
  private var cursor: FamilyNode?

  /// `nil`: the promise has no node.
  package init?(below promise: AnyPromise) {
    let state = promise.family.state
    guard let root = state.withNode({ FamilyMember($0) }), let stripe = state.stripe else { return nil }
    self.promise = promise
    self.stripe = stripe
    self.root = root
  }

  /// Walks on, under one acquisition of the stripe. Returns `true` at the end of the walk.
  package mutating func goOn() -> Bool { stripe.locked { walkPiece() } }

  /// What comes next in the walk.
  private enum Position {
    case firstBelow(FamilyMember)
    case behind(FamilyMember)
  }

  private mutating func walkPiece() -> Bool {
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

  /// Returns whether the member is a node with something below. A cursor has nothing, and must not: it leaves the tree alone.
  private mutating func visit(_ member: FamilyMember) -> Bool {
    // Safe to retain: the link releases its target after it has left the tree. If that is closed, there may be something below it, which is
    // not below a node in this tree until the link leaves.
    if let target = member.withLink({ $0.target }) {
      if let target { found.append(target) }
      return false
    }
    if let promise = member.withNode({ $0.shownPromise }) ?? nil { found.append(promise) }
    visitEarly(of: member)
    return member.withNode { !$0.first.isNone } ?? false
  }

  private mutating func visitEarly(of node: FamilyMember) {
    let early = node.withNode { $0.early } ?? .none
    if let target = early.withLink({ $0.target }) ?? nil { found.append(target) }
  }

  /// The cursor is put into its new place before it leaves the old one: so no node that the position names is removed.
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
    if let old { FamilyMember(old).leave() }
  }
}
