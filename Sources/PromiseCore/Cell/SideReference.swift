import Synchronization

/// The word `AnyPromise.side`: what only some promises need, and the weight of the promise's chain (rule 5.4).
///
///      63 ……… 48       47 …………………… 4           3           2         1         0
///     ┌──────────────┬───────────────────────────┬────────┬────────────┬───────┬───────────┐
///     │ weight − 1   │ `SideTable`, retained     │ client │ unobserved │ 0     │ observing │
///     │              │ or, in bits 4–19, amount  │        │            │ ended │           │
///     └──────────────┴───────────────────────────┴────────┴────────────┴───────┴───────────┘
///
/// *Observing*, *unobserved* and *client*: see `ClientPromise.swift`. Only a promise with a table becomes *unobserved*.
///
/// A table that was made stays until the promise goes. Without one, *ended* says that the promise was rejected when *amount* of
/// its *weight* was done: a rejection that passes through a chain costs no table (rule 5.2).
///
/// Orderings: whoever registers something in a table first makes the table and then looks at the state; whoever settles first
/// claims or publishes the state and then looks for a table. All four are sequentially consistent, so that one sees the other.
struct SideReference: ~Copyable {
  private let word = Atomic<UInt64>(0)

  private static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFF0
  /// What is set before anybody else knows the promise.
  private static let constantMask: UInt64 = 0xFFFF_0000_0000_0000 | observingBit | clientBit
  private static let endedBit: UInt64 = 1 << 1
  /// Instead of a weight: it stands in the table.
  private static let elsewhere: UInt64 = 0xFFFF

  private static func address(in bits: UInt64) -> UInt64 { bits & endedBit == 0 ? bits & addressMask : 0 }
  private static let observingBit: UInt64 = 1 << 0
  private static let unobservedBit: UInt64 = 1 << 2
  private static let clientBit: UInt64 = 1 << 3

  /// The table, if there is one.
  var table: SideTable? {
    let address = Self.address(in: word.load(ordering: .sequentiallyConsistent))
    // Safe: retained by this word, which goes with the promise that the caller holds.
    return address == 0 ? nil : unsafe Unmanaged<SideTable>.at(address).takeUnretainedValue()
  }

  /// The owner of the promise observes its clients. Relaxed: set before other threads know the promise. So is the next.
  var isObservingClients: Bool { word.load(ordering: .relaxed) & Self.observingBit != 0 }
  func markObservingClients() { word.bitwiseOr(Self.observingBit, ordering: .relaxed) }

  /// The promise stands for that of an owner who observes its clients.
  var isClientPromise: Bool { word.load(ordering: .relaxed) & Self.clientBit != 0 }
  func markClientPromise() { word.bitwiseOr(Self.clientBit, ordering: .relaxed) }

  /// The client promise was released. Sequentially consistent: pairs with the exchange that counts consumers, see
  /// `AnyPromise.releaseClientPromise`.
  var isUnobserved: Bool { word.load(ordering: .sequentiallyConsistent) & Self.unobservedBit != 0 }
  func markUnobserved() { word.bitwiseOr(Self.unobservedBit, ordering: .sequentiallyConsistent) }
  func unmarkUnobserved() { word.bitwiseAnd(~Self.unobservedBit, ordering: .sequentiallyConsistent) }

  /// The table, which is made if there is none.
  func getOrCreateTable() -> SideTable {
    if let table { return table }
    let table = SideTable()
    let made = unsafe Unmanaged.passRetained(table)
    let address = unsafe UInt64(UInt(bitPattern: made.toOpaque()))
    var old = word.load(ordering: .relaxed)
    while Self.address(in: old) == 0 {
      if let done = Self.done(in: old) { table.locked { _ = $0.progress.end(at: done) } }
      let (exchanged, found) = word.compareExchange(
        expected: old, desired: old & Self.constantMask | address, ordering: .sequentiallyConsistent)
      if exchanged { return table }
      old = found
    }
    unsafe made.release()
    return getOrCreateTable()
  }

  /// The promise is going, and nobody else knows it.
  func release() {
    let address = Self.address(in: word.load(ordering: .relaxed))
    if address != 0 { unsafe Unmanaged<SideTable>.at(address).release() }
  }
}

// MARK: - Weight

extension SideReference {
  /// What all reactions up to this promise weigh together, and the root, which weighs 1.
  var weight: Double {
    // Relaxed: constant since before the promise was known to others; so is the one in the table.
    let weight = word.load(ordering: .relaxed) >> 48
    if weight != Self.elsewhere { return Double(weight + 1) }
    return table?.locked { $0.progress.weight } ?? 1
  }

  /// The weight of a promise that nobody knows yet, which is derived by a reaction of that weight from the one of `source`.
  ///
  /// A weight that is negative or no number counts as 0. Weights that are no integers, or large, cost a side table; except that
  /// a chain of more than 65,535 reactions stops gaining weight, for no share of it could be told from nothing.
  func inheritWeight(of source: borrowing SideReference, adding weight: Double) {
    let inherited = source.word.load(ordering: .relaxed) >> 48
    let added: UInt64 = weight == 1 ? 1 : 0
    if inherited != Self.elsewhere, weight == 1 || weight == 0 {
      let sum = min(inherited + added, Self.elsewhere - 1)
      if sum != 0 { word.store(word.load(ordering: .relaxed) | sum << 48, ordering: .relaxed) }
    } else {
      setWeight(source.weight + (weight > 0 ? min(weight, Self.mostWeight) : 0))
    }
  }

  private static var mostWeight: Double { 1e9 }

  private func setWeight(_ sum: Double) {
    if sum <= Double(Self.elsewhere), sum.rounded() == sum {
      word.bitwiseOr(UInt64(sum - 1) << 48, ordering: .relaxed)
    } else {
      getOrCreateTable().locked { $0.progress.weight = sum }
      word.bitwiseOr(Self.elsewhere << 48, ordering: .relaxed)
    }
  }
}

// MARK: - Rejected

extension SideReference {
  /// How much of the weight was done when the promise was rejected, where that takes no table.
  var doneAmount: Double? {
    let bits = word.load(ordering: .sequentiallyConsistent)
    return bits & Self.endedBit == 0 ? nil : Double(Self.amount(in: bits))
  }

  /// The promise is being rejected, when so much was done, at most its weight. `false`: there is a table, or the amount needs one.
  func end(withAmountDone amount: Double) -> Bool {
    var old = word.load(ordering: .relaxed)
    guard old >> 48 != Self.elsewhere, amount.rounded() == amount else { return false }
    while Self.address(in: old) == 0 {
      if old & Self.endedBit != 0 { return true }
      let new = old & Self.constantMask | UInt64(amount) << 4 | Self.endedBit
      let (exchanged, found) = word.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent)
      if exchanged { return true }
      old = found
    }
    return false
  }

  private static func amount(in bits: UInt64) -> UInt64 { (bits & addressMask) >> 4 }

  /// The share that was done, if the promise was rejected without a table.
  private static func done(in bits: UInt64) -> Double? {
    bits & endedBit == 0 ? nil : Double(amount(in: bits)) / Double(bits >> 48 + 1)
  }
}
