/// Links in the order of their attachment, owned by whoever holds the value.
struct LinkList {
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  /// A cancellation was left here by another thread.
  private(set) var containsRequest = false

  init() {}

  /// The list that was taken from a promise, newest first, turned round.
  init(newest: UInt64) {
    last = newest
    var link = newest
    while link != 0 {
      let reference = unsafe Unmanaged<Link>.at(link)
      let next = unsafe reference._withUnsafeGuaranteedRef { link in
        let state = link.state
        containsRequest = containsRequest || state.traits.contains(.requests)
        link.point(to: first)
        return state.next
      }
      first = link
      link = next
    }
  }

  var hasOne: Bool { first == last }

  /// Appends a link, whose reference the list takes over.
  mutating func append(_ link: consuming Link) {
    link.point(to: 0)
    let reference = unsafe Unmanaged.passRetained(consume link)
    let address = unsafe UInt64(UInt(bitPattern: reference.toOpaque()))
    if first == 0 {
      first = address
    } else {
      unsafe Unmanaged<Link>.at(last)._withUnsafeGuaranteedRef { $0.point(to: address) }
    }
    last = address
  }

  /// Shows each link to the body, which keeps none.
  func forEach(_ body: (Link) -> Void) {
    var link = first
    while link != 0 {
      unsafe Unmanaged<Link>.at(link)._withUnsafeGuaranteedRef {
        body($0)
        link = $0.state.next
      }
    }
  }

  /// The promises that the links would settle.
  var targets: [AnyPromise] {
    var targets: [AnyPromise] = []
    forEach { if let target = $0.targetInList { targets.append(target) } }
    return targets
  }

  /// Those of them that are below the source, where the link is meant.
  func targetsBelow(where isMeant: (Link) -> Bool) -> [AnyPromise] {
    var targets: [AnyPromise] = []
    forEach { if isMeant($0), let target = $0.targetBelow { targets.append(target) } }
    return targets
  }

  /// Takes the first link out, with the reference to it.
  mutating func popFirst() -> Link? {
    guard first != 0 else { return nil }
    let link = unsafe Unmanaged<Link>.at(first).takeRetainedValue()
    first = link.state.next
    if first == 0 { last = 0 }
    return link
  }

  /// Two lists as promises hold them, newest first: puts what was pushed later before the other.
  ///
  /// - Complexity: O(*n*), where *n* is the number of links that were pushed.
  static func join(_ pushed: UInt64, before newest: UInt64) -> UInt64 {
    var link = pushed
    while link != 0 {
      link = unsafe Unmanaged<Link>.at(link)._withUnsafeGuaranteedRef { link in
        let next = link.state.next
        if next == 0 { link.point(to: newest) }
        return next
      }
    }
    return pushed
  }

  /// Turns the list round again, newest first, as a promise holds it. The caller takes the references over.
  consuming func newestFirst() -> UInt64 { LinkList(newest: first).first }
}
