public import Synchronization

/// A pointer that does not keep its object alive, and that any thread may follow all the same.
///
///      63 ……… 49   48     47 …………………… 0
///     ┌──────────┬───────┬──────────────┐
///     │ pins     │retired│ address      │
///     └──────────┴───────┴──────────────┘
///
/// The object is known to live until the reference is *retired*: whoever lets the object go retires first, and so waits
/// until nobody holds a pin. A pin is held for a few instructions, in which no user code runs; nothing is pinned once
/// the reference is retired. The object may be in its `deinit`, which retires first of all; so a reader takes out of it
/// what it needs, and keeps no reference to it (except to a promise, which is never let go unretired).
///
/// Orderings: all changes are read-modify-writes on one word and so see each other in one order. Publishing and
/// pinning are sequentially consistent, because two threads that close a ring, or one that adopts and one that
/// cancels, each write their own word and then read the other's (rules 3.2 and 4.4). Unpinning releases what was read;
/// retiring acquires it.
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

  /// What the body takes out of the object, or `nil` where there is none. The body must be short, and call nobody.
  package func read<Object: AnyObject, Result>(_ type: Object.Type, _ body: (Object) -> Result?) -> Result? {
    var bits = word.load(ordering: .sequentiallyConsistent)
    while true {
      guard bits & Self.retiredBit == 0, bits & Self.addressMask != 0 else { return nil }
      let (exchanged, found) = word.compareExchange(
        expected: bits, desired: bits + Self.pin, ordering: .sequentiallyConsistent)
      if exchanged { break }
      bits = found
    }
    // Safe: not retired when we pinned, so the object lives at least until we unpin.
    let result = unsafe Unmanaged<Object>.at(bits & Self.addressMask)._withUnsafeGuaranteedRef(body)
    word.wrappingSubtract(Self.pin, ordering: .releasing)
    return result
  }

  /// A strong reference to a promise, or `nil` where there is none.
  package func promise() -> AnyPromise? { read(AnyPromise.self) { $0 } }

  /// Ends the reference to what is at `address`. `false`: it was empty, refers to another, or was retired already.
  package func retire(_ address: UInt64) -> Bool {
    var bits = word.load(ordering: .relaxed)
    while true {
      guard bits & Self.retiredBit == 0, bits & Self.addressMask == address, address != 0 else { return false }
      let (exchanged, found) = word.compareExchange(
        expected: bits, desired: bits | Self.retiredBit, ordering: .sequentiallyConsistent)
      if exchanged { break }
      bits = found
    }
    while bits >= Self.pin { bits = word.load(ordering: .acquiring) }
    return true
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
