import Synchronization

/// Looks into the header of an object: is there exactly one reference to it, of any kind?
///
/// `isKnownUniquelyReferenced` does not see weak and unowned references, from which another thread can make a strong one at any moment.
/// The header's second word counts references of all kinds, or leads to a table if there are weak ones. How it does so is the runtime's
/// own business. It is only compared with the word of an object that is known to have one reference.
@safe
package enum ReferenceCount {
  /// The word of an object with one reference. `nil` if the word does not tell it from others: then no object is known to have one only.
  package static let sole: UInt64? = probe()

  /// Sequentially consistent: pairs with the fence in `AnyPromise.showSource`. Acquires what other threads did before they released
  /// their references.
  @inline(__always)
  package static func isOne<Object: AnyObject>(_ reference: Unmanaged<Object>) -> Bool {
    guard let sole else { return false }
    return unsafe word(of: reference) == sole
  }

  @inline(__always)
  private static func word<Object: AnyObject>(of reference: Unmanaged<Object>) -> UInt64 {
    // Safe: every object begins with a pointer to its type, and the word. The caller keeps the object.
    let header = unsafe UnsafeRawPointer(reference.toOpaque()) + MemoryLayout<UInt>.size
    return unsafe header.assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .sequentiallyConsistent)
  }

  private final class Probe: Sendable {}

  private final class Holder {
    var strongly: Probe?
    weak var weakly: Probe?
    unowned(safe) var unownedly: Probe?
  }

  private static func probe() -> UInt64? {
    guard MemoryLayout<UInt>.size == 8 else { return nil }
    let reference = unsafe Unmanaged.passRetained(Probe())
    defer { unsafe reference.release() }
    let one = unsafe word(of: reference)
    let holder = Holder()
    unsafe refer(to: reference, by: \.strongly, of: holder)
    let two = unsafe word(of: reference)
    holder.strongly = nil
    let again = unsafe word(of: reference)
    unsafe refer(to: reference, by: \.unownedly, of: holder)
    let withUnowned = unsafe word(of: reference)
    holder.unownedly = nil
    unsafe refer(to: reference, by: \.weakly, of: holder)
    let withWeak = unsafe word(of: reference)
    return withExtendedLifetime(holder) {
      one == again && one != two && one != withUnowned && one != withWeak ? one : nil
    }
  }

  /// Not inlined: no reference to the object is left when this returns, but the one by the key path.
  @inline(never)
  private static func refer(
    to reference: Unmanaged<Probe>, by path: ReferenceWritableKeyPath<Holder, Probe?>, of holder: Holder
  ) {
    unsafe holder[keyPath: path] = reference.takeUnretainedValue()
  }
}
