/// Reactions in the order in which they were attached. The value owns the references to them.
struct ReactionList {
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  /// Whether another thread has left a request for a cancellation in the list.
  private(set) var containsRequest = false

  init() {}

  /// Creates a list from the reactions of a promise, which are linked newest first, and reverses it.
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

  /// Appends a reaction. The list takes over the reference.
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

  /// Calls the body with each reaction. The body must not retain any.
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

  /// Returns the promises below the source that the selected reactions would settle.
  func targetsBelow(where isMeant: (Reaction) -> Bool) -> [AnyPromise] {
    var targets: [AnyPromise] = []
    forEach { if isMeant($0), let target = $0.targetBelow { targets.append(target) } }
    return targets
  }

  /// Removes and returns the first reaction, with the reference to it.
  mutating func popFirst() -> Reaction? {
    guard first != 0 else { return nil }
    let reaction = unsafe Unmanaged<Reaction>.at(first).takeRetainedValue()
    first = reaction.state.next
    if first == 0 { last = 0 }
    return reaction
  }

  /// Joins two lists in the form in which a promise holds them, newest first. The result begins with the reactions that
  /// were pushed later.
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

  /// Reverses the list into the form in which a promise holds it, newest first. The caller takes over the references.
  consuming func newestFirst() -> UInt64 { ReactionList(newest: first).first }
}
