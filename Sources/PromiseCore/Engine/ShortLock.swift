internal import CPromiseSystem
public import Synchronization

/// A lock for critical sections of a few instructions.
///
/// Invariant: under the lock, no user code runs, no thread blocks, and no object is released whose deinitialiser could
/// settle a promise (rule 6.5).
///
/// On Apple systems it is a `Mutex`, which donates the priority of a waiting thread to the holder. Elsewhere it spins
/// for a moment and then yields the core, because ThreadSanitizer reports false races under a contended `Mutex` on
/// Linux.
@usableFromInline
package struct ShortLock: ~Copyable, Sendable {
  #if canImport(Darwin)
    @usableFromInline let mutex = Mutex<Void>(())
  #else
    @usableFromInline let isLocked = Atomic<Bool>(false)
  #endif

  @_alwaysEmitIntoClient
  package init() {}

  // Inlinable, because a call of an unspecialised function is more expensive than the lock.
  @_alwaysEmitIntoClient @inline(__always)
  package func locked<Result>(_ body: () -> Result) -> Result {
    #if canImport(Darwin)
      return mutex.withLock { _ in body() }
    #else
      // Acquiring. Pairs with the releasing store below, so that the section sees the changes of the previous holder.
      if isLocked.exchange(true, ordering: .acquiring) { acquireContended() }
      defer {
        // The optimiser moves the retain of a reference that was read under the lock past an atomic store, and another
        // thread could then release the object in between. It moves no retain past a fence. On x86-64 this fence is no
        // instruction.
        atomicMemoryFence(ordering: .releasing)
        // Releasing. Pairs with the acquiring exchange of the next holder.
        isLocked.store(false, ordering: .releasing)
      }
      return body()
    #endif
  }

  #if !canImport(Darwin)
    /// Acquires the lock while another thread holds it.
    @usableFromInline @inline(never)
    func acquireContended() {
      // Acquiring. Pairs with the releasing store in `locked`.
      spin { isLocked.load(ordering: .relaxed) || isLocked.exchange(true, ordering: .acquiring) ? nil : () }
    }
  #endif
}

/// Calls `look` until it returns a result, because another thread holds a lock.
///
/// After 64 calls the holder is probably not running, so the thread yields its core.
@inline(__always)
func spin<Result>(until look: () -> Result?) -> Result {
  var looks = 0
  while true {
    if let result = look() { return result }
    looks += 1
    if looks > 64 { promise_yield() }
  }
}
