public import Synchronization

/// A pointer that does not keep its object alive, and that any thread may follow all the same.
///
///      63 ……… 49   48     47 …………………… 0
///     ┌──────────┬───────┬──────────────┐
///     │ pins     │retired│ address      │
///     └──────────┴───────┴──────────────┘
///
/// The object is known to live until the reference is *retired*; who lets the object go retires first. Reading is
/// pin, retain, unpin: a pin promises that the address stays valid, and is held for no longer than the retain takes. If
/// a reference is retired while pins are held, the retirer leaves one strong reference behind, and the last to unpin
/// releases it. Nothing is pinned once it is retired.
///
/// Orderings: all changes are read-modify-writes on one word and so see each other in one order. Publishing and
/// pinning are sequentially consistent, because two threads that close a ring, or one that adopts and one that
/// cancels, each write their own word and then read the other's (rules 3.2 and 4.4). Retiring releases what was done
/// with the object and acquires what readers did; unpinning likewise.
@usableFromInline
package struct PinnedReference: ~Copyable {
  @usableFromInline let word: Atomic<UInt64>

  static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFFF
  static let retiredBit: UInt64 = 1 << 48
  static let pin: UInt64 = 1 << 49

  @inlinable package init() { word = Atomic(0) }

  @inlinable package init(_ address: UInt64) { word = Atomic(address) }

  /// Nothing was ever published, or it was retired.
  package var isEmpty: Bool {
    // Relaxed: a hint, which its users follow up with a read-modify-write.
    let bits = word.load(ordering: .relaxed)
    return bits & Self.addressMask == 0 || bits & Self.retiredBit != 0
  }

  /// The address, for comparison only.
  package var address: UInt64 {
    let bits = word.load(ordering: .relaxed)
    return bits & Self.retiredBit == 0 ? bits & Self.addressMask : 0
  }

  /// Sets a reference that nobody else knows yet. Relaxed: published with the object that holds it.
  package func initialize(_ address: UInt64) { word.store(address, ordering: .relaxed) }

  /// Sets a reference that is empty, or that was retired. Sequentially consistent, see above.
  package func publish(_ address: UInt64) { word.store(address, ordering: .sequentiallyConsistent) }

  /// Replaces `old`, if that is what it refers to, by `new`, waiting for pins (a few instructions) to go.
  package func replace(_ old: UInt64, by new: UInt64) -> Bool {
    while true {
      let (exchanged, found) = word.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent)
      if exchanged { return true }
      if found & Self.retiredBit != 0 || found & Self.addressMask != old { return false }
    }
  }

  /// A strong reference to the object, or `nil` where there is none.
  package func load<Object: AnyObject>(as type: Object.Type) -> Object? {
    var bits = word.load(ordering: .sequentiallyConsistent)
    while true {
      guard bits & Self.retiredBit == 0, bits & Self.addressMask != 0 else { return nil }
      let (exchanged, found) = word.compareExchange(
        expected: bits, desired: bits + Self.pin, ordering: .sequentiallyConsistent)
      if exchanged { break }
      bits = found
    }
    // Safe: not retired when we pinned, so the object lives at least until we unpin.
    let reference = unsafe Unmanaged<Object>.at(bits & Self.addressMask)
    let object = unsafe reference.takeUnretainedValue()
    let left = word.wrappingSubtract(Self.pin, ordering: .acquiringAndReleasing).newValue
    // Retired meanwhile, and we are the last: the reference that the retirer left behind is ours to release.
    if left & Self.retiredBit != 0, left < Self.pin { unsafe reference.release() }
    return object
  }

  /// Ends the reference. The caller holds the object. `false`: it was empty, refers to another, or was retired already.
  package func retire<Object: AnyObject>(_ object: Object) -> Bool {
    var bits = word.load(ordering: .relaxed)
    while true {
      guard bits & Self.retiredBit == 0, bits & Self.addressMask == location(of: object) else { return false }
      let isPinned = bits >= Self.pin
      // Before the exchange: afterwards the last to unpin may release at once.
      if isPinned { _ = unsafe Unmanaged.passRetained(object) }
      let (exchanged, found) = word.compareExchange(
        expected: bits, desired: bits | Self.retiredBit, ordering: .sequentiallyConsistent)
      if exchanged { return true }
      if isPinned { unsafe Unmanaged.passUnretained(object).release() }
      bits = found
    }
  }
}

extension Unmanaged {
  /// The object at an address that was taken from it before.
  static func at(_ address: UInt64) -> Unmanaged<Instance> {
    unsafe .fromOpaque(UnsafeRawPointer(bitPattern: UInt(address)).unsafelyUnwrapped)
  }
}

/// The address of an object, as the words of the engine store it.
func location(of object: AnyObject) -> UInt64 {
  unsafe UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
}
