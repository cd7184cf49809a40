public import Synchronization

/// A pointer that does not retain its object, and that any thread may follow safely.
///
///      63 ……… 49   48     47 …………………… 4    1        0
///     ┌──────────┬───────┬──────────────┬────────┬────────┐
///     │ pins     │retired│ address      │ paused │ moving │
///     └──────────┴───────┴──────────────┴────────┴────────┘
///
/// Invariant: the object lives at least until the reference is *retired*. A thread that releases the object retires the
/// reference first, and so waits until no thread holds a pin. It waits even if another thread has retired the reference
/// before.
///
/// A reader holds a pin for a few instructions, and runs no user code meanwhile. A retired reference cannot be pinned.
/// The object may be in its `deinit`, which retires the reference before it releases anything. So a reader copies what
/// it needs out of the object, and must not retain it. A promise may be retained, because it is never released before
/// the reference is retired.
///
/// A thread that is about to change the address marks the reference as *moving*. If another thread retires the
/// reference meanwhile, that thread leaves the object that contains the reference to the moving thread. This happens in
/// a loop whose outermost promise is cancelled (rule 3.3).
///
/// Orderings: from the publication to the retirement, all changes are read-modify-writes of one word, and so have one
/// order. Publishing and pinning are sequentially consistent, because two threads may each write their own word and
/// then read the other's. Two threads that close a ring do so (rule 3.2), and an adopter and a canceller do so (rule
/// 4.4). Unpinning is releasing, and pairs with the retirement, which acquires the reader's accesses.
@usableFromInline
package struct PinnedReference: ~Copyable {
  @usableFromInline let word: Atomic<UInt64>

  static let movingBit: UInt64 = 1 << 0
  static let pausedBit: UInt64 = 1 << 1
  static let addressMask: UInt64 = 0x0000_FFFF_FFFF_FFF0
  static let retiredBit: UInt64 = 1 << 48
  static let pin: UInt64 = 1 << 49

  @_alwaysEmitIntoClient package init() { word = Atomic(0) }

  @_alwaysEmitIntoClient package init(_ address: UInt64) { word = Atomic(address) }

  /// Whether the reference was never published, was cleared, or was retired. Sequentially consistent, as the reading
  /// half of the exchanges described above.
  package var isEmpty: Bool {
    let bits = word.load(ordering: .sequentiallyConsistent)
    return bits & Self.addressMask == 0 || bits & Self.retiredBit != 0
  }

  /// Sets a reference that no other thread knows yet. Relaxed, because it is published with the object that contains
  /// it.
  package func initialize(_ address: UInt64) { word.store(address, ordering: .relaxed) }

  /// Sets a reference that is empty or retired. Sequentially consistent, as described above.
  package func publish(_ address: UInt64) { word.store(address, ordering: .sequentiallyConsistent) }

  /// Changes a reference from `old` to `new`. Returns `false` if the reference was changed or retired before, or is
  /// moving.
  package func replace(_ old: UInt64, by new: UInt64) -> Bool { change(old) { $0 == old ? new : nil } != nil }

  /// Marks a reference as moving away from `old`. Returns `false` if the reference was changed or retired before, or is
  /// moving.
  package func beginMoving(from old: UInt64) -> Bool { change(old) { $0 == old ? old | Self.movingBit : nil } != nil }

  /// Changes a reference that is moving away from `old` to `new`. Returns `false` if the reference was retired
  /// meanwhile.
  package func endMoving(from old: UInt64, to new: UInt64) -> Bool {
    change(old) { $0 == old | Self.movingBit ? new : nil } != nil
  }

  package enum Retirement: Equatable {
    /// The caller has ended the reference, and owns the object that contains it.
    case ended
    /// The caller has ended the reference, but the moving thread owns the object that contains it.
    case endedWhileMoving
    /// The reference is empty, points to another object, or was retired before.
    case none
  }

  /// Ends the reference to the object at `address`. Whatever the result, no thread has that object pinned through this
  /// reference when this returns.
  package func retire(_ address: UInt64) -> Retirement {
    guard let bits = change(address, { $0 & Self.retiredBit == 0 ? $0 | Self.retiredBit : nil }) else { return .none }
    return bits & Self.movingBit == 0 ? .ended : .endedWhileMoving
  }

  /// Makes readers and writers wait until `resume`, which must follow within a few instructions. Returns `false` if the
  /// reference does not point to `address`, or was retired.
  func pause(at address: UInt64) -> Bool {
    change(address) { $0 & Self.retiredBit == 0 ? $0 | Self.pausedBit : nil } != nil
  }

  func resume() { word.bitwiseXor(Self.pausedBit, ordering: .releasing) }

  /// Empties a reference to the object at `address`, as soon as it is not pinned.
  package func clear(_ address: UInt64) { _ = change(address) { _ in 0 } }

  /// Changes a reference to the object at `address` as soon as it is not pinned. Returns the previous word, or `nil` if
  /// the reference points to another object or `next` returns `nil`.
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

  /// Returns what the body reads from the object, or `nil` if the reference is empty or retired. The body must be
  /// short, and call no user code.
  ///
  /// Invariant: the body counts no reference to a reaction, not even for a moment. If the thread that owns the reaction
  /// released it in that moment, the body's reference would be the last. The reaction's `deinit` would then wait here
  /// for the caller's own pin. A debug build counts a reference to convert the reaction to another type or to capture
  /// it in a closure, `&&` included. `.ci/check-uncounted` looks for such code.
  package func read<Object: AnyObject, Result>(_ type: Object.Type, _ body: (Object) -> Result?) -> Result? {
    guard let address = pin() else { return nil }
    // Safe, because the reference was not retired when it was pinned, so the object lives at least until it is
    // unpinned.
    let result = unsafe Unmanaged<Object>.at(address)._withUnsafeGuaranteedRef(body)
    unpin()
    return result
  }

  /// Pins the reference and returns the address of an object that lives at least until `unpin`. Returns `nil` if the
  /// reference is empty or retired. Then there is nothing to unpin.
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

  /// Returns a strong reference to a promise, or `nil` if the reference is empty or retired.
  package func promise() -> AnyPromise? { read(AnyPromise.self) { $0 } }
}

extension Unmanaged {
  /// Returns the object at an address that `location(of:)` returned.
  static func at(_ address: UInt64) -> Unmanaged<Instance> {
    unsafe .fromOpaque(UnsafeRawPointer(bitPattern: UInt(address)).unsafelyUnwrapped)
  }
}

/// Returns the address of an object, in the form in which the words of the engine store it.
///
/// Generic, because a conversion to `AnyObject` would count a reference for a moment. That is not allowed for an object
/// that is read through a pin (see `PinnedReference.read`).
func location<Object: AnyObject>(of object: Object) -> UInt64 {
  unsafe UInt64(UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque()))
}
