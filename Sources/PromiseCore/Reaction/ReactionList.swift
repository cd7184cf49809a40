/// Reactions in the order of their attachment, owned by whoever holds the value.
struct ReactionList {
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  /// A cancellation was left here by another thread.
  private(set) var containsRequest = false

  init() {}

  /// The list that was taken from a promise, newest first, turned round.
  init(newest: UInt64) {
    last = newest
    var reaction = newest
    while reaction != 0 {
      let reference = unsafe Unmanaged<Reaction>.at(reaction)
      let next = unsafe reference._withUnsafeGuaranteedRef { reaction in
        let state = reaction.state
        containsRequest = containsRequest || state.traits.contains(.requests)
        reaction.point(to: first)
        return state.next
      }
      first = reaction
      reaction = next
    }
  }

  var hasOne: Bool { first == last }

  /// Appends a reaction, whose reference the list takes over.
  mutating func append(_ reaction: consuming Reaction) {
    reaction.point(to: 0)
    let reference = unsafe Unmanaged.passRetained(consume reaction)
    let address = unsafe UInt64(UInt(bitPattern: reference.toOpaque()))
    if first == 0 {
      first = address
    } else {
      unsafe Unmanaged<Reaction>.at(last)._withUnsafeGuaranteedRef { $0.point(to: address) }
    }
    last = address
  }

  /// Shows each reaction to the body, which keeps none.
  func forEach(_ body: (Reaction) -> Void) {
    var reaction = first
    while reaction != 0 {
      unsafe Unmanaged<Reaction>.at(reaction)._withUnsafeGuaranteedRef {
        body($0)
        reaction = $0.state.next
      }
    }
  }

  /// The promises that the reactions would settle.
  var targets: [AnyPromise] {
    var targets: [AnyPromise] = []
    forEach { if let target = $0.targetInList { targets.append(target) } }
    return targets
  }

  /// Those of them that are below the source, where the reaction is meant.
  func targetsBelow(where isMeant: (Reaction) -> Bool) -> [AnyPromise] {
    var targets: [AnyPromise] = []
    forEach { if isMeant($0), let target = $0.targetBelow { targets.append(target) } }
    return targets
  }

  /// Takes the first reaction out, with the reference to it.
  mutating func popFirst() -> Reaction? {
    guard first != 0 else { return nil }
    let reaction = unsafe Unmanaged<Reaction>.at(first).takeRetainedValue()
    first = reaction.state.next
    if first == 0 { last = 0 }
    return reaction
  }

  /// Two lists as promises hold them, newest first: puts what was pushed later before the other.
  ///
  /// - Complexity: O(*n*), where *n* is the number of reactions that were pushed.
  static func join(_ pushed: UInt64, before newest: UInt64) -> UInt64 {
    var reaction = pushed
    while reaction != 0 {
      reaction = unsafe Unmanaged<Reaction>.at(reaction)._withUnsafeGuaranteedRef { reaction in
        let next = reaction.state.next
        if next == 0 { reaction.point(to: newest) }
        return next
      }
    }
    return pushed
  }

  /// Turns the list round again, newest first, as a promise holds it. The caller takes the references over.
  consuming func newestFirst() -> UInt64 { ReactionList(newest: first).first }
}
