import Synchronization

/// The word `AnyPromise.family`, which connects a settled promise with its family tree.
///
///      62      53 ……… 48   47 …………………… 4      3        2      1 … 0
///     ┌───────┬───────────┬──────────────┬────────┬────────┬──────┐
///     │ shown │ stripe    │ address      │ handed │ wanted │ tag  │
///     └───────┴───────────┴──────────────┴────────┴────────┴──────┘
///
/// The tag says what the address refers to:
///
/// - `none`, without an address: the promise is pending, or nothing is below it.
/// - `none`, with a reaction: the promise is settled and in no family. The reaction is the *only* member below it.
/// - `inherited`, without an address: the reaction that settled the promise belongs to the family of this stripe.
/// - `owned`, with a `FamilyNode`, which is retained: the promise has a node, which knows the stripe.
/// - `forwarded`, with a promise, which is retained: the promise was collapsed into that promise.
///
///     pending:   none ⇄ forwarded
///     claimed:   none ──▶ inherited    (by the claimer, before it publishes)
///     settled:   none ──▶ owned        (under the stripe of a new family)
///                inherited ──▶ owned   (under the stripe)
///
/// In the word of a pending promise, bits 48 to 63 count the dead entries of its list. The flags:
///
/// - *Wanted*: before the promise fired its reactions, a client got the promise by `parent`, or a canceller left a
///   request.
/// - *Handed*: the reaction that settled the promise has given its place away, to the node or to the reaction that the
///   promise fired.
/// - *Shown*: a walk may find the promise by its node. The thread that closes the promise then acquires the stripe
///   before it releases the promise.
struct FamilyWord: ~Copyable {
  private let word = Atomic<UInt64>(0)

  /// The value of the word. Sequentially consistent: pairs with the changes of the state word, see
  /// `AnyPromise.showSource`. Acquires the node.
  var state: FamilyState { FamilyState(bits: word.load(ordering: .sequentiallyConsistent)) }

  // MARK: Settled

  /// Records the stripe of the reaction that has claimed the promise. The claimer calls this before it publishes.
  func inherit(_ stripe: FamilyStripe) {
    var old = FamilyState(bits: word.load(ordering: .relaxed))
    while old.tag == .none {
      let new = FamilyState(inheriting: stripe).bits | old.bits & FamilyState.wantedBit
      // Relaxed, because the publication releases this change.
      let (exchanged, found) = word.compareExchange(expected: old.bits, desired: new, ordering: .relaxed)
      if exchanged { return }
      old = FamilyState(bits: found)
    }
  }

  /// Records the reaction as the only member below a settled promise that is in no family. Returns `false` if the
  /// promise is in a family, or if another reaction is below it.
  func setOnly(_ reaction: FamilyMember) -> Bool {
    var old = FamilyState(bits: word.load(ordering: .relaxed))
    while old.tag == .none, old.only.isNone {
      let new = old.bits & FamilyState.wantedBit | reaction.address
      // Sequentially consistent: pairs with the load in `state`. Releases the fields of the reaction.
      let (exchanged, found) = word.compareExchange(expected: old.bits, desired: new, ordering: .sequentiallyConsistent)
      if exchanged { return true }
      old = FamilyState(bits: found)
    }
    return false
  }

  /// Removes the reaction from the word if it is the only member below the promise. Called under the stripe.
  func removeOnly(_ reaction: FamilyMember) {
    guard state.only == reaction else { return }
    // Relaxed, because readers hold the stripe.
    word.bitwiseXor(reaction.address, ordering: .relaxed)
  }

  /// Gives the promise a node, which it retains. The only reaction below the promise, if any, becomes a child of the
  /// node.
  ///
  /// Called under the stripe. Returns `false` if the promise has a node already, or was collapsed.
  func own(_ node: consuming FamilyNode) -> Bool {
    let node = unsafe Unmanaged.passRetained(consume node)
    var old = FamilyState(bits: word.load(ordering: .acquiring))
    while old.tag == .none || old.tag == .inherited {
      let new = unsafe node._withUnsafeGuaranteedRef { node in
        if !old.only.isNone, node.first.isNone { node.insert(old.only) }
        return FamilyState(owning: node).bits | old.bits & FamilyState.handedBit
      }
      // Sequentially consistent: pairs with the load in `state`. Releases the node.
      let (exchanged, found) = word.compareExchange(expected: old.bits, desired: new, ordering: .sequentiallyConsistent)
      if exchanged { return true }
      old = FamilyState(bits: found)
    }
    unsafe node.release()
    return false
  }

  /// Marks the promise as wanted. Sequentially consistent: pairs with the publication, see `AnyPromise.showSource`.
  func markWanted() { word.bitwiseOr(FamilyState.wantedBit, ordering: .sequentiallyConsistent) }

  /// Marks the promise as handed. Called under the stripe. Relaxed, because readers are the same thread, or hold the
  /// stripe.
  func markHandedOn() { word.bitwiseOr(FamilyState.handedBit, ordering: .relaxed) }

  /// Marks the promise, which has a node, as shown. Called under the stripe. Sequentially consistent: pairs with the
  /// exchange that closes the promise.
  func markShown() { word.bitwiseOr(FamilyState.shownBit, ordering: .sequentiallyConsistent) }

  // MARK: Pending

  /// The largest count of dead entries.
  static var mostDead: UInt64 { 0xFFFF }

  /// Counts dead entries in the list of a pending promise. If the count is `enough`, resets it and returns `true`.
  ///
  /// Relaxed, because only the number matters.
  func countDead(_ dead: UInt64, enough: (UInt64) -> Bool) -> Bool {
    var old = FamilyState(bits: word.load(ordering: .relaxed))
    while old.tag == .none {
      let count = min(old.bits >> 48 + dead, Self.mostDead)
      let isEnough = enough(count)
      let others = old.bits & (FamilyState.wantedBit | FamilyState.addressMask)
      let (exchanged, found) = word.compareExchange(
        expected: old.bits, desired: others | (isEnough ? 0 : count << 48), ordering: .relaxed)
      if exchanged { return isEnough }
      old = FamilyState(bits: found)
    }
    return false
  }

  /// Records the promise into which this one is about to be collapsed. Returns `false` if the word is in use.
  ///
  /// Relaxed, because the exchange of the state word releases this change.
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

  /// Reverts `setForwardee`, because the promise could not be collapsed.
  func unsetForwardee(_ promise: AnyPromise) {
    let old = location(of: promise) | FamilyState.Tag.forwarded.rawValue
    _ = word.bitwiseXor(old, ordering: .relaxed)
    unsafe Unmanaged.passUnretained(promise).release()
  }

  /// The promise into which this one was collapsed.
  var forwardee: AnyPromise {
    unsafe Unmanaged<AnyPromise>.at(word.load(ordering: .relaxed) & FamilyState.addressMask).takeUnretainedValue()
  }

  /// Releases what the word refers to. Called by the `deinit` of the promise.
  @inline(__always)
  func release() {
    let state = state
    switch state.tag {
    case .none, .inherited: return
    case .forwarded: unsafe Unmanaged.passUnretained(forwardee).release()
    case .owned: Self.disownNode(in: state)
    }
  }

  /// Not inlined, because most promises have no node.
  @inline(never)
  private static func disownNode(in state: FamilyState) {
    state.stripe?.locked { _ = state.withNode { $0.disown() } }
  }
}

/// A value of `FamilyWord`, which describes the tags and the flags.
struct FamilyState {
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

  init(owning node: FamilyNode) { bits = location(of: node) | Tag.owned.rawValue }

  @inline(__always) var tag: Tag { Tag(rawValue: bits & Self.tagMask) ?? .none }

  var isWanted: Bool { bits & Self.wantedBit != 0 }
  var isHandedOn: Bool { bits & Self.handedBit != 0 }
  @inline(__always) var isShown: Bool { tag == .owned && bits & Self.shownBit != 0 }

  /// The only reaction below a promise that is in no family. Reading the reaction requires the stripe of the promise.
  @inline(__always) var only: FamilyMember { tag == .none ? FamilyMember(reactionAt: bits & Self.addressMask) : .none }

  /// The stripe of the family. `nil` for a promise that is in no family.
  var stripe: FamilyStripe? {
    switch tag {
    case .inherited: FamilyStripe(index: UInt8(bits >> 48 & Self.stripeMask))
    // The word itself has no stripe here, because a leak detector would not recognise an address with bits above it.
    case .owned: withNode { $0.stripe }
    case .none, .forwarded: nil
    }
  }

  /// Calls the body with the node, without counting a reference. The promise retains the node.
  @inline(__always)
  func withNode<Result>(_ body: (FamilyNode) -> Result) -> Result? {
    guard tag == .owned else { return nil }
    return unsafe Unmanaged<FamilyNode>.at(bits & Self.addressMask)._withUnsafeGuaranteedRef(body)
  }
}
