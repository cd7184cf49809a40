import Synchronization

/// Tells whether exactly one reference to an object exists, counting weak and unowned references.
///
/// `isKnownUniquelyReferenced` does not count weak and unowned references, which another thread can turn into strong
/// ones at any moment. The second word of an object's header counts references of all kinds, or refers to a table if
/// there are weak ones. This type does not interpret the word. It compares the word with that of an object that has one
/// reference.
@safe
package enum ReferenceCount {
  /// The word of an object with one reference. `nil` if this runtime's word does not distinguish such an object. Then
  /// `isOne` is always `false`, and promises only take a little more memory.
  package static let sole: UInt64? = probe()

  /// Returns whether the reference is the only one to the object.
  ///
  /// Sequentially consistent. Pairs with the fence in `AnyPromise.showSource`. Acquires the changes that other threads
  /// made before they released their references.
  @inline(__always)
  package static func isOne<Object: AnyObject>(_ reference: Unmanaged<Object>) -> Bool {
    guard let sole else { return false }
    return unsafe word(of: reference) == sole
  }

  @inline(__always)
  private static func word<Object: AnyObject>(of reference: Unmanaged<Object>) -> UInt64 {
    // Safe, because an object begins with the pointer to its type, followed by the word. The caller retains the object.
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

  /// Not inlined, so that the key path's reference is the only new one when this returns.
  @inline(never)
  private static func refer(
    to reference: Unmanaged<Probe>, by path: ReferenceWritableKeyPath<Holder, Probe?>, of holder: Holder
  ) {
    unsafe holder[keyPath: path] = reference.takeUnretainedValue()
  }
}
