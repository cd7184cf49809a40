import Synchronization

/// The word `AnyPromise.side`: nothing, or the promise's `SideTable`, retained.
///
/// A table that was made stays until the promise goes.
///
/// Orderings: whoever registers something in a table first makes the table and then looks at the state; whoever settles first
/// publishes the state and then looks for a table. All four are sequentially consistent, so that one sees the other.
struct SideReference: ~Copyable {
  private let word = Atomic<UInt64>(0)

  private static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFF0
  private static let observedBit: UInt64 = 1 << 0

  /// The table, if there is one.
  var table: SideTable? {
    let address = word.load(ordering: .sequentiallyConsistent) & Self.addressMask
    // Safe: retained by this word, which goes with the promise that the caller holds.
    return address == 0 ? nil : unsafe Unmanaged<SideTable>.at(address).takeUnretainedValue()
  }

  /// The promise is kept by its consumers and holders only, see `WeakLink`. Relaxed: set before anybody else knows the promise.
  var isObserved: Bool { word.load(ordering: .relaxed) & Self.observedBit != 0 }

  func markObserved() { word.bitwiseOr(Self.observedBit, ordering: .relaxed) }

  /// The table, which is made if there is none.
  func demandTable() -> SideTable {
    if let table { return table }
    let made = unsafe Unmanaged.passRetained(SideTable())
    let address = unsafe UInt64(UInt(bitPattern: made.toOpaque()))
    var old = word.load(ordering: .relaxed)
    while old & Self.addressMask == 0 {
      let (exchanged, found) = word.compareExchange(
        expected: old, desired: old | address, ordering: .sequentiallyConsistent)
      if exchanged { return unsafe made.takeUnretainedValue() }
      old = found
    }
    unsafe made.release()
    return demandTable()
  }

  /// The promise is going, and nobody else knows it.
  func release() {
    let address = word.load(ordering: .relaxed) & Self.addressMask
    if address != 0 { unsafe Unmanaged<SideTable>.at(address).release() }
  }
}
