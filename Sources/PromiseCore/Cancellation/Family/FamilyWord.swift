import Synchronization

/// What a promise knows of its family tree: the word `AnyPromise.family`, beside the state word.
///
///      62      53 ……… 48   47 …………………… 4      3        2      1 … 0
///     ┌───────┬───────────┬──────────────┬────────┬────────┬──────┐
///     │ shown │ stripe    │ address      │ handed │ wanted │ tag  │      pending: bits 48 up count the dead entries of its list
///     └───────┴───────────┴──────────────┴────────┴────────┴──────┘
///
/// | tag         | address                  | meaning                                                            |
/// |-------------|--------------------------|--------------------------------------------------------------------|
/// | `none`      | none, or a link          | The promise is pending, or settled and in no family. Only that link is below. |
/// | `inherited` | none                     | The link that settled the promise is in the family of this stripe. |
/// | `owned`     | a `FamilyNode`, retained | The promise has a node of its own.                                 |
/// | `forwarded` | a promise, retained      | The promise was dissolved into that one.                           |
///
///     pending:   none ⇄ forwarded
///     claimed:   none ──▶ inherited    (by the claimer, before it publishes)
///     settled:   none ──▶ owned        (a new family)
///                inherited ──▶ owned   (under the stripe)
///
/// - *Wanted*: a client has got the promise by `parent` before it was published.
/// - *Handed*: the link that settled the promise has given its place in the tree away: to the node, or to the link that the promise fired.
/// - *Shown*: a walk may find the promise by its node. The thread that closes it then acquires the stripe before it releases the promise.
struct FamilyWord: ~Copyable {
  private let word = Atomic<UInt64>(0)

  /// Sequentially consistent: pairs with the changes of the state word, see `AnyPromise.parent`. Acquires the node.
  var state: FamilyState { FamilyState(bits: word.load(ordering: .sequentiallyConsistent)) }

  // MARK: Settled

  /// The claimer is about to publish the promise, which its link has settled.
  func inherit(_ stripe: FamilyStripe) {
    var old = FamilyState(bits: word.load(ordering: .relaxed))
    while old.tag == .none {
      let new = FamilyState(inheriting: stripe).bits | old.bits & FamilyState.wantedBit
      // Relaxed: the publication releases it.
      let (exchanged, found) = word.compareExchange(expected: old.bits, desired: new, ordering: .relaxed)
      if exchanged { return }
      old = FamilyState(bits: found)
    }
  }

  /// The settled promise, which is in no family, has fired the link: nothing else is below. Returns `false` if the promise is in a family, or something
  /// else is below.
  func setOnly(_ link: FamilyMember) -> Bool {
    var old = FamilyState(bits: word.load(ordering: .relaxed))
    while old.tag == .none, old.only.isNone {
      let new = old.bits & FamilyState.wantedBit | link.address
      // Sequentially consistent, as `state`. Releases the fields of the link.
      let (exchanged, found) = word.compareExchange(expected: old.bits, desired: new, ordering: .sequentiallyConsistent)
      if exchanged { return true }
      old = FamilyState(bits: found)
    }
    return false
  }

  /// Under the stripe: nothing is below, if the link alone was.
  func removeOnly(_ link: FamilyMember) {
    guard state.only == link else { return }
    // Relaxed: readers hold the stripe.
    word.bitwiseXor(link.address, ordering: .relaxed)
  }

  /// Under the stripe: the promise has a node from now on, and retains it. Returns `false` if it has one already. A link that alone was below is
  /// below the node.
  func own(_ node: FamilyNode) -> Bool {
    var old = FamilyState(bits: word.load(ordering: .acquiring))
    while old.tag == .none || old.tag == .inherited {
      if !old.only.isNone, node.first.isNone { node.insert(old.only) }
      let new = FamilyState(owning: node).bits | old.bits & FamilyState.handedBit
      // Sequentially consistent, as `state`. Releases the node.
      let (exchanged, found) = word.compareExchange(expected: old.bits, desired: new, ordering: .sequentiallyConsistent)
      if exchanged {
        _ = unsafe Unmanaged.passRetained(node)
        return true
      }
      old = FamilyState(bits: found)
    }
    return false
  }

  /// Returns the state before. Sequentially consistent: pairs with the publication, see `AnyPromise.showSource`.
  func markWanted() -> FamilyState {
    FamilyState(bits: word.bitwiseOr(FamilyState.wantedBit, ordering: .sequentiallyConsistent).oldValue)
  }

  /// Under the stripe. Relaxed: read by the thread that wrote it, or under the stripe.
  func markHandedOn() { word.bitwiseOr(FamilyState.handedBit, ordering: .relaxed) }

  /// Under the stripe, for a promise that has a node. Sequentially consistent: pairs with the closing exchange.
  func markShown() { word.bitwiseOr(FamilyState.shownBit, ordering: .sequentiallyConsistent) }

  // MARK: Pending

  /// The largest count of dead entries.
  static var mostDead: UInt64 { 0xFFFF }

  /// Counts dead entries in the list of a pending promise. Returns `true` if these are `enough`, and starts again then.
  func countDead(_ dead: UInt64, enough: (UInt64) -> Bool) -> Bool {
    var old = FamilyState(bits: word.load(ordering: .relaxed))
    while old.tag == .none {
      let count = min(old.bits >> 48 + dead, Self.mostDead)
      let isEnough = enough(count)
      let others = old.bits & (FamilyState.wantedBit | FamilyState.addressMask)
      // Relaxed: a number.
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: others | (isEnough ? 0 : count << 48), ordering: .relaxed)
      if exchanged { return isEnough }
      old = FamilyState(bits: found)
    }
    return false
  }

  /// The promise is about to be dissolved into another. Returns `false` if the word is used otherwise.
  ///
  /// Relaxed: the state word releases it.
  func setForwardee(_ promise: AnyPromise) -> Bool {
    var old = FamilyState(bits: word.load(ordering: .relaxed))
    while old.tag == .none {
      let new = location(of: promise) | FamilyState.Tag.forwarded.rawValue | old.bits & FamilyState.wantedBit
      let (exchanged, found) = word.compareExchange(expected: old.bits, desired: new, ordering: .relaxed)
      if exchanged {
        _ = unsafe Unmanaged.passRetained(promise)
        return true
      }
      old = FamilyState(bits: found)
    }
    return false
  }

  /// The promise was not dissolved after all.
  func unsetForwardee(_ promise: AnyPromise) {
    let old = location(of: promise) | FamilyState.Tag.forwarded.rawValue
    _ = word.bitwiseXor(old, ordering: .relaxed)
    unsafe Unmanaged.passUnretained(promise).release()
  }

  /// The promise that this one was dissolved into.
  var forwardee: AnyPromise {
    unsafe Unmanaged<AnyPromise>.at(word.load(ordering: .relaxed) & FamilyState.addressMask).takeUnretainedValue()
  }

  /// The promise is being deallocated.
  func release() {
    let state = state
    switch state.tag {
    case .none, .inherited: return
    case .forwarded: unsafe Unmanaged.passUnretained(forwardee).release()
    case .owned:
      guard let stripe = state.stripe else { return }
      stripe.locked { _ = state.withNode { $0.disown() } }
    }
  }
}

/// A value of `FamilyWord`.
struct FamilyState: Equatable {
  enum Tag: UInt64 { case none, inherited, owned, forwarded }

  let bits: UInt64

  static let tagMask: UInt64 = 0x3
  static let wantedBit: UInt64 = 1 << 2
  static let handedBit: UInt64 = 1 << 3
  static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFF0
  static let shownBit: UInt64 = 1 << 62
  private static let stripeMask: UInt64 = 0x3F

  init(bits: UInt64) { self.bits = bits }

  init(inheriting stripe: FamilyStripe) { bits = UInt64(stripe.index) << 48 | Tag.inherited.rawValue }

  init(owning node: FamilyNode) {
    bits = location(of: node) | Tag.owned.rawValue
  }

  var tag: Tag { Tag(rawValue: bits & Self.tagMask) ?? .none }

  var isWanted: Bool { bits & Self.wantedBit != 0 }
  var isHandedOn: Bool { bits & Self.handedBit != 0 }
  var isShown: Bool { tag == .owned && bits & Self.shownBit != 0 }

  /// The link that alone is below a promise that is in no family. To look at it takes the stripe of the promise.
  var only: FamilyMember { tag == .none ? FamilyMember(linkAt: bits & Self.addressMask) : .none }

  /// `nil` for a promise that is in no family.
  var stripe: FamilyStripe? {
    switch tag {
    case .inherited: FamilyStripe(index: UInt8(bits >> 48 & Self.stripeMask))
    // Not in the word, too: leak detectors would not see that it refers to the node.
    case .owned: withNode { $0.stripe }
    case .none, .forwarded: nil
    }
  }

  /// Shows the node to the body, without counting a reference. The promise retains it.
  @inline(__always)
  func withNode<Result>(_ body: (FamilyNode) -> Result) -> Result? {
    guard tag == .owned else { return nil }
    return unsafe Unmanaged<FamilyNode>.at(bits & Self.addressMask)._withUnsafeGuaranteedRef(body)
  }
}
