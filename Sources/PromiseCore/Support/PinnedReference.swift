public import Synchronization

/// A pointer that does not keep its object alive, and that any thread may follow all the same.
///
///      63 ……… 49   48     47 …………………… 4    1        0
///     ┌──────────┬───────┬──────────────┬────────┬────────┐
///     │ pins     │retired│ address      │ paused │ moving │
///     └──────────┴───────┴──────────────┴────────┴────────┘
///
/// The object is known to live until the reference is *retired*: whoever lets the object go retires first, and so waits
/// until nobody holds a pin, also if another has retired it before. A pin is held for a few instructions, in which no
/// user code runs; nothing is pinned once the reference is retired. The object may be in its `deinit`, which retires
/// first of all; so a reader takes out of it what it needs, and keeps no reference to it (except to a promise, which is
/// never let go unretired).
///
/// A thread that is about to point the reference elsewhere marks it *moving*. If it is retired meanwhile, the retirer leaves
/// the object that holds the reference to that thread (rule 3.3: a loop whose outermost promise is cancelled).
///
/// Orderings: all changes are read-modify-writes on one word and so see each other in one order. Publishing and
/// pinning are sequentially consistent, because two threads that close a ring, or one that adopts and one that
/// cancels, each write their own word and then read the other's (rules 3.2 and 4.4). Unpinning releases what was read;
/// retiring acquires it.
@usableFromInline
package struct PinnedReference: ~Copyable {
  @usableFromInline let word: Atomic<UInt64>

  static let movingBit: UInt64 = 1 << 0
  static let pausedBit: UInt64 = 1 << 1
  static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFF0
  static let retiredBit: UInt64 = 1 << 48
  static let pin: UInt64 = 1 << 49

  @inlinable package init() { word = Atomic(0) }

  @inlinable package init(_ address: UInt64) { word = Atomic(address) }

  /// Nothing was ever published, or it was retired. Sequentially consistent: the reading half of the handshakes above.
  package var isEmpty: Bool {
    let bits = word.load(ordering: .sequentiallyConsistent)
    return bits & Self.addressMask == 0 || bits & Self.retiredBit != 0
  }

  /// Sets a reference that nobody else knows yet. Relaxed: published with the object that holds it.
  package func initialize(_ address: UInt64) { word.store(address, ordering: .relaxed) }

  /// Sets a reference that is empty, or that was retired. Sequentially consistent, see above.
  package func publish(_ address: UInt64) { word.store(address, ordering: .sequentiallyConsistent) }

  /// Points a reference to `old` elsewhere. `false`: it was changed, or is moving.
  package func replace(_ old: UInt64, by new: UInt64) -> Bool { change(old) { $0 == old ? new : nil } != nil }

  /// Marks a reference as moving away from `old`. `false`: it was retired.
  package func beginMoving(from old: UInt64) -> Bool { change(old) { $0 == old ? old | Self.movingBit : nil } != nil }

  /// Points a reference that is moving away from `old` to `new`. `false`: it was retired meanwhile.
  package func endMoving(from old: UInt64, to new: UInt64) -> Bool {
    change(old) { $0 == old | Self.movingBit ? new : nil } != nil
  }

  package enum Retirement: Equatable {
    /// The caller has ended the reference, and owns what it was part of.
    case ended
    /// The same, but a thread that is moving the reference owns what it is part of.
    case endedWhileMoving
    /// It was empty, refers to another, or was retired before.
    case none
  }

  /// Ends the reference to what is at `address`. When it returns, nobody has that pinned, whatever the answer.
  package func retire(_ address: UInt64) -> Retirement {
    guard let bits = change(address, { $0 & Self.retiredBit == 0 ? $0 | Self.retiredBit : nil }) else { return .none }
    return bits & Self.movingBit == 0 ? .ended : .endedWhileMoving
  }

  /// Shows nothing until `resume`, to readers and to who would change it: both wait. For a few instructions. `false`: it was retired.
  func pause(at address: UInt64) -> Bool {
    change(address) { $0 & Self.retiredBit == 0 ? $0 | Self.pausedBit : nil } != nil
  }

  func resume() { word.bitwiseXor(Self.pausedBit, ordering: .releasing) }

  /// Forgets what is at `address`, as soon as nothing is pinned: the reference is as it was before it was published.
  package func clear(_ address: UInt64) { _ = change(address) { _ in 0 } }

  /// Changes a reference to what is at `address` as soon as nothing is pinned. `nil`: it refers to another, or the change
  /// does not apply. Returns what was there before.
  private func change(_ address: UInt64, _ next: (UInt64) -> UInt64?) -> UInt64? {
    var bits = word.load(ordering: .sequentiallyConsistent)
    while bits & Self.addressMask == address {
      if bits >= Self.pin || bits & Self.pausedBit != 0 {
        bits = word.load(ordering: .sequentiallyConsistent)
        continue
      }
      guard let new = next(bits) else { return nil }
      let (exchanged, found) = word.compareExchange(expected: bits, desired: new, ordering: .sequentiallyConsistent)
      if exchanged { return bits }
      bits = found
    }
    return nil
  }

  /// What the body takes out of the object, or `nil` where there is none. The body must be short, and call nobody.
  ///
  /// It must not even count a reference to a reaction for a moment: if the thread that owns the reaction let go in that moment, ours would be
  /// the last, and the reaction's `deinit` would wait here for our own pin. A debug build counts one to convert its type or to capture
  /// it in a closure, `&&` included: `.ci/check-uncounted` looks for that.
  package func read<Object: AnyObject, Result>(_ type: Object.Type, _ body: (Object) -> Result?) -> Result? {
    guard let address = pin() else { return nil }
    // Safe: not retired when we pinned, so the object lives at least until we unpin.
    let result = unsafe Unmanaged<Object>.at(address)._withUnsafeGuaranteedRef(body)
    unpin()
    return result
  }

  /// The address of what lives at least until `unpin`; `nil`: there is nothing, and nothing to unpin.
  func pin() -> UInt64? {
    var bits = word.load(ordering: .sequentiallyConsistent)
    while bits & Self.retiredBit == 0, bits & Self.addressMask != 0 {
      if bits & Self.pausedBit != 0 {
        bits = word.load(ordering: .sequentiallyConsistent)
        continue
      }
      let (exchanged, found) = word.compareExchange(
        expected: bits, desired: bits + Self.pin, ordering: .sequentiallyConsistent)
      if exchanged { return bits & Self.addressMask }
      bits = found
    }
    return nil
  }

  func unpin() { word.wrappingSubtract(Self.pin, ordering: .releasing) }

  /// A strong reference to a promise, or `nil` where there is none.
  package func promise() -> AnyPromise? { read(AnyPromise.self) { $0 } }
}

extension Unmanaged {
  /// The object at an address that was taken from it before.
  static func at(_ address: UInt64) -> Unmanaged<Instance> {
    unsafe .fromOpaque(UnsafeRawPointer(bitPattern: UInt(address)).unsafelyUnwrapped)
  }
}

/// The address of an object, as the words of the engine store it. Generic, because a conversion to `AnyObject` would count a
/// reference for a moment, which must not be for an object that is read through a pin (see `PinnedReference.read`).
func location<Object: AnyObject>(of object: Object) -> UInt64 {
  unsafe UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
}
