import Synchronization

/// What a promise knows of those that were derived from it: the word `AnyPromise.kin`, beside the one of its state.
///
///      63 ……… 48   47 …………………… 4   3 …… 0
///     ┌───────────┬──────────────┬────────┐
///     │pins, count│ address      │ tag    │
///     └───────────┴──────────────┴────────┘
///
/// | tag       | address                | meaning                                                                    |
/// |-----------|------------------------|----------------------------------------------------------------------------|
/// | `nothing` | none                   | pending (bits 48 up count the dead links in its list), or nothing is active below |
/// | `link`    | a link, not retained   | that link alone is active below (bits 48 up count pins)                    |
/// | `scope`   | a `KinScope`, retained | that scope, the promise's own, lists what is active below                  |
/// | `below`   | a `KinScope`, retained | nothing of its own; what becomes active below gets a scope under that one  |
/// | `within`  | a `KinScope`, retained | the same, but nobody holds the promise: what becomes active is listed there |
/// | `moved`   | a promise, retained    | the promise was dissolved into that one                                    |
///
/// Everything but `nothing` ⇄ `link` and `nothing` ⇄ `moved` is changed under the lock of the scopes, or by the one
/// thread that settles the promise before it publishes. A link leaves `link` before it ends, and waits for pins, which
/// are held for a few instructions.
struct KinReference: ~Copyable {
  enum Tag: UInt64 {
    case link = 0
    case nothing = 1
    case scope = 2
    case below = 4
    case within = 6
    case moved = 8
  }

  private let word = Atomic<UInt64>(Tag.nothing.rawValue)

  private static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFF0
  private static let tagMask: UInt64 = 0xF
  private static let unit: UInt64 = 1 << 48

  /// Acquiring: what the address leads to. Sequentially consistent, here and in `set`: see `AnyPromise.parent`.
  var tag: Tag { Tag(rawValue: word.load(ordering: .sequentiallyConsistent) & Self.tagMask) ?? .nothing }

  private var address: UInt64 { word.load(ordering: .acquiring) & Self.addressMask }

  // MARK: Links

  /// The link becomes the one that is active below. `false`: there is something already.
  func add(_ link: Link) -> Bool {
    var old = word.load(ordering: .relaxed)
    while old & Self.tagMask == Tag.nothing.rawValue {
      // Releasing: the fields of the link.
      let (exchanged, found) = word.compareExchange(
        expected: old, desired: location(of: link), successOrdering: .releasing, failureOrdering: .relaxed)
      if exchanged { return true }
      old = found
    }
    return false
  }

  /// The link is not active any more. `false`: it is listed in a scope, or nowhere.
  func remove(_ link: Link) -> Bool { replace(link, by: Tag.nothing.rawValue) }

  private func replace(_ link: Link, by new: UInt64) -> Bool {
    let expected = location(of: link)
    var old = word.load(ordering: .relaxed)
    while old & (Self.addressMask | Self.tagMask) == expected {
      // Acquiring: what readers did under their pins, for which this waits.
      let (exchanged, found) = word.compareExchange(
        expected: expected, desired: new, successOrdering: .acquiringAndReleasing, failureOrdering: .relaxed)
      if exchanged { return true }
      old = found
    }
    return false
  }

  /// What the body takes out of the one active link. The body must be short, and call nobody.
  func readLink<Result>(_ body: (Link) -> Result?) -> Result? {
    var old = word.load(ordering: .acquiring)
    while old & Self.tagMask == Tag.link.rawValue {
      let (exchanged, found) = word.compareExchange(
        expected: old, desired: old + Self.unit, ordering: .acquiring)
      if exchanged {
        // Safe: the link leaves this word, which waits for our pin, before it ends.
        defer { word.wrappingSubtract(Self.unit, ordering: .releasing) }
        return unsafe Unmanaged<Link>.at(old & Self.addressMask)._withUnsafeGuaranteedRef(body)
      }
      old = found
    }
    return nil
  }

  // MARK: Scopes, under their lock or before publication

  /// The scope that the word refers to, whatever for.
  var scope: KinScope? { unsafe scopeReference?.takeUnretainedValue() }

  /// Shows it to the body, uncounted. Under the lock.
  func withScope<Result>(_ body: (KinScope) -> Result) -> Result? {
    unsafe scopeReference?._withUnsafeGuaranteedRef(body)
  }

  /// The same, uncounted: it stays as long as the lock is held, or the promise is nobody else's.
  var scopeReference: Unmanaged<KinScope>? {
    switch tag {
    case .scope, .below, .within: unsafe .at(address)
    case .link, .nothing, .moved: nil
    }
  }

  /// Refers to a scope from now on. A link that stands here is listed in it.
  func set(_ scope: KinScope, as tag: Tag) {
    let old = (scope: unsafe scopeReference, tag: self.tag)
    if tag != .scope { scope.gainUser() }
    let new = unsafe UInt64(UInt(bitPattern: Unmanaged.passRetained(scope).toOpaque())) | tag.rawValue
    var found = word.load(ordering: .acquiring)
    while true {
      if found & Self.tagMask == Tag.link.rawValue {
        found = list(linkOf: found, in: scope, replacingBy: new)
        if found == new { break }
      } else {
        let (exchanged, now) = word.compareExchange(expected: found, desired: new, ordering: .sequentiallyConsistent)
        if exchanged { break }
        found = now
      }
    }
    unsafe old.scope?._withUnsafeGuaranteedRef { unsafe old.tag == .scope ? $0.disown() : $0.loseUser() }
    unsafe old.scope?.release()
  }

  /// Pins the link, lists it, and replaces the word together with the pin. The link cannot end meanwhile: it would first
  /// have to leave the word, and then wait for the lock that our caller holds.
  private func list(linkOf old: UInt64, in scope: KinScope, replacingBy new: UInt64) -> UInt64 {
    let pinned = old & (Self.addressMask | Self.tagMask) + Self.unit
    let (exchanged, found) = word.compareExchange(
      expected: pinned - Self.unit, desired: pinned, ordering: .acquiring)
    guard exchanged else { return found }
    unsafe Unmanaged<Link>.at(old & Self.addressMask)._withUnsafeGuaranteedRef { scope.add($0) }
    while !word.compareExchange(expected: pinned, desired: new, ordering: .sequentiallyConsistent).exchanged {}
    return new
  }

  // MARK: Other uses

  /// There is no room to count more.
  static var mostDead: UInt64 { 0xFFFF }

  /// Counts dead links in the list of a pending promise. `true`: there are `enough`, and the count starts again.
  func countDead(_ dead: UInt64, enough: (UInt64) -> Bool) -> Bool {
    var old = word.load(ordering: .relaxed)
    while old & Self.tagMask == Tag.nothing.rawValue {
      let count = min(old >> 48 + dead, Self.mostDead)
      let isEnough = enough(count)
      // Relaxed: a number.
      let new = Tag.nothing.rawValue | (isEnough ? 0 : count << 48)
      let (exchanged, found) = word.compareExchange(expected: old, desired: new, ordering: .relaxed)
      if exchanged { return isEnough }
      old = found
    }
    return false
  }

  /// The promise is about to be dissolved into another. Relaxed: released with the state word. `false`: there is
  /// something else.
  func setForwardee(_ promise: AnyPromise) -> Bool {
    let new = location(of: promise) | Tag.moved.rawValue
    var old = word.load(ordering: .relaxed)
    while old & Self.tagMask == Tag.nothing.rawValue {
      let (exchanged, found) = word.compareExchange(expected: old, desired: new, ordering: .relaxed)
      if exchanged {
        _ = unsafe Unmanaged.passRetained(promise)
        return true
      }
      old = found
    }
    return false
  }

  /// It was not dissolved after all.
  func unsetForwardee(_ promise: AnyPromise) {
    let old = location(of: promise) | Tag.moved.rawValue
    // Somebody may have been faster: the promise was settled, and has something active below.
    _ = word.compareExchange(expected: old, desired: Tag.nothing.rawValue, ordering: .relaxed)
    unsafe Unmanaged.passUnretained(promise).release()
  }

  /// The promise that this one was dissolved into.
  var forwardee: AnyPromise {
    unsafe Unmanaged<AnyPromise>.at(word.load(ordering: .relaxed) & Self.addressMask).takeUnretainedValue()
  }

  /// The promise is going, and nobody else knows it.
  func release() {
    switch tag {
    case .nothing, .link: return
    case .moved: unsafe Unmanaged.passUnretained(forwardee).release()
    case .scope, .below, .within:
      let isOwn = tag == .scope
      unsafe scopeReference?._withUnsafeGuaranteedRef { scope in
        KinScope.locked { isOwn ? scope.disown() : scope.loseUser() }
      }
      unsafe scopeReference?.release()
    }
  }
}
