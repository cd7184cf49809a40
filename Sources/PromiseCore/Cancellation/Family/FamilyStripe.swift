/// One of the locks that guard the family trees (rule 4.2). All members of a family share one stripe.
///
/// Invariant: a thread holds at most one stripe at a time. Under a stripe no user code runs, no promise is claimed or
/// published, no job is scheduled, and no promise or reaction is released. A thread that has pinned a reaction may
/// acquire a stripe, but a thread that holds a stripe pins nothing.
struct FamilyStripe: Equatable, Sendable {
  let index: UInt8

  /// A lock with two cache lines of its own, because processors fetch cache lines in pairs.
  private struct PaddedLock: ~Copyable {
    let lock = ShortLock()
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0)
    private let morePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)
  }

  private static let bits: UInt64 = 6

  /// Allocated on first use, never deallocated.
  private nonisolated(unsafe) static let locks: UnsafeMutablePointer<PaddedLock> = {
    let locks = UnsafeMutablePointer<PaddedLock>.allocate(capacity: 1 << bits)
    for index in 0..<(1 << Int(bits)) { unsafe (locks + index).initialize(to: PaddedLock()) }
    return unsafe locks
  }()

  init(index: UInt8) { self.index = index }

  /// The stripe of a family whose first promise is this one.
  init(for promise: AnyPromise) {
    // The upper bits of the product depend on all bits of the address.
    index = UInt8(truncatingIfNeeded: (location(of: promise) >> 4 &* 0x9E37_79B9_7F4A_7C15) >> (64 - Self.bits))
  }

  @inline(__always)
  func locked<Result>(_ body: () -> Result) -> Result {
    unsafe Self.locks[Int(index)].lock.locked(body)
  }
}
