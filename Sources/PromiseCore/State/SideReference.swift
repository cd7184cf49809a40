import Synchronization

/// The word `AnyPromise.side`. It refers to the side table of the promise, and holds the weight of the promise's chain
/// (rule 5.4).
///
///      63 ……… 48       47 …………………… 4           3           2         1         0
///     ┌──────────────┬───────────────────────────┬────────┬────────────┬───────┬───────────┐
///     │ weight − 1   │ `SideTable`, retained     │ client │ unobserved │ 0     │ observing │
///     │              │ or, in bits 4–19, amount  │        │            │ ended │           │
///     └──────────────┴───────────────────────────┴────────┴────────────┴───────┴───────────┘
///
/// - *observing*: the owner observes its clients. *client*: the promise is a client promise. *unobserved*: the client
///   promise was released, which is set only in a promise with a table. See `ClientPromise.swift`.
/// - *ended*: the promise has no table, and was rejected when *amount* of its *weight* was done. So a rejection that
///   passes through a chain needs no table (rule 5.2).
///
/// A side table is retained until the promise is deallocated.
///
/// Orderings: a thread that registers something makes the table first and then loads the state. A thread that settles
/// claims or publishes first and then looks for a table. All four operations are sequentially consistent, so one of the
/// threads sees the other.
struct SideReference: ~Copyable {
  private let word = Atomic<UInt64>(0)

  private static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFF0
  /// What is set before any other thread knows the promise.
  private static let constantMask: UInt64 = 0xFFFF_0000_0000_0000 | observingBit | clientBit
  private static let endedBit: UInt64 = 1 << 1
  /// Stands in place of a weight that is stored in the table.
  private static let elsewhere: UInt64 = 0xFFFF

  private static func address(in bits: UInt64) -> UInt64 { bits & endedBit == 0 ? bits & addressMask : 0 }
  private static let observingBit: UInt64 = 1 << 0
  private static let unobservedBit: UInt64 = 1 << 2
  private static let clientBit: UInt64 = 1 << 3

  /// Whether there is a table. Counts no reference. Sequentially consistent, as described above.
  @inline(__always)
  var hasTable: Bool { Self.address(in: word.load(ordering: .sequentiallyConsistent)) != 0 }

  /// The table, if there is one.
  var table: SideTable? {
    let address = Self.address(in: word.load(ordering: .sequentiallyConsistent))
    // Safe, because this word retains the table until the promise is deallocated, and the caller retains the promise.
    return address == 0 ? nil : unsafe Unmanaged<SideTable>.at(address).takeUnretainedValue()
  }

  /// The owner of the promise observes its clients. Relaxed: set before other threads know the promise.
  var isObservingClients: Bool { word.load(ordering: .relaxed) & Self.observingBit != 0 }
  func markObservingClients() { word.bitwiseOr(Self.observingBit, ordering: .relaxed) }

  /// The promise is a client promise. Relaxed: set before other threads know the promise.
  var isClientPromise: Bool { word.load(ordering: .relaxed) & Self.clientBit != 0 }
  func markClientPromise() { word.bitwiseOr(Self.clientBit, ordering: .relaxed) }

  /// The client promise was released. Sequentially consistent: pairs with the exchange that counts consumers, see
  /// `AnyPromise.releaseClientPromise`.
  var isUnobserved: Bool { word.load(ordering: .sequentiallyConsistent) & Self.unobservedBit != 0 }
  func markUnobserved() { word.bitwiseOr(Self.unobservedBit, ordering: .sequentiallyConsistent) }
  func unmarkUnobserved() { word.bitwiseAnd(~Self.unobservedBit, ordering: .sequentiallyConsistent) }

  /// Returns the table, and makes it if there is none.
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

  /// Releases the table. The promise is being deallocated, and no other thread refers to it.
  func release() {
    let address = Self.address(in: word.load(ordering: .relaxed))
    if address != 0 { unsafe Unmanaged<SideTable>.at(address).release() }
  }
}

// MARK: - Weight

extension SideReference {
  /// The weight of the chain up to this promise: the sum of its links, and 1 for the root.
  var weight: Double {
    // Relaxed: constant since before other threads knew the promise. The same holds for the weight in the table.
    let weight = word.load(ordering: .relaxed) >> 48
    if weight != Self.elsewhere { return Double(weight + 1) }
    return table?.locked { $0.progress.weight } ?? 1
  }

  /// Sets the weight of a new promise, which a link of weight `weight` derives from the promise of `source`.
  ///
  /// A weight that is negative or not a number counts as 0. Weights that are not integers or are large need a side
  /// table. A chain of more than 65,535 links gains no more weight, because the share of one more link could not be
  /// told from zero.
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
  /// How much of the weight was done when the promise was rejected, if that is recorded without a table.
  var doneAmount: Double? {
    let bits = word.load(ordering: .sequentiallyConsistent)
    return bits & Self.endedBit == 0 ? nil : Double(Self.amount(in: bits))
  }

  /// Records how much of the weight was done when the promise was rejected. Returns `false` if there is a table, or if
  /// the amount needs one.
  ///
  /// - Parameter amount: at most the weight.
  func recordRejection(withAmountDone amount: Double) -> Bool {
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

  /// The share of the weight that was done, if the promise was rejected without a table.
  private static func done(in bits: UInt64) -> Double? {
    bits & endedBit == 0 ? nil : Double(amount(in: bits)) / Double(bits >> 48 + 1)
  }
}
