public import Synchronization

#if !canImport(Darwin)
  internal import CPromiseSystem
#endif

/// A lock for sections of a few instructions.
///
/// No user code runs under it, no object is released under it whose deinitialiser could settle a promise or end a reaction, and no thread
/// blocks under it (rule 6.5).
///
/// On Apple systems it is a `Mutex`, which donates the priority of a waiting thread to the holder. Elsewhere it spins for a moment and
/// then yields the core, because ThreadSanitizer reports false races under a contended `Mutex` on Linux (decision 0020).
@usableFromInline
package struct ShortLock: ~Copyable, Sendable {
  #if canImport(Darwin)
    @usableFromInline let mutex = Mutex<Void>(())
  #else
    @usableFromInline let isLocked = Atomic<Bool>(false)
  #endif

  @inlinable
  package init() {}

  // Inlinable, because a call of an unspecialised function costs more than the lock.
  @inlinable @inline(__always)
  package func locked<Result>(_ body: () -> Result) -> Result {
    #if canImport(Darwin)
      return mutex.withLock { _ in body() }
    #else
      // Pairs with the releasing store below: the section sees what the previous holder did.
      if isLocked.exchange(true, ordering: .acquiring) { acquireContended() }
      defer {
        // The optimiser moves the retain of a reference that was read under the lock past an atomic store, and another thread could
        // then release the object in between. It moves no retain past a fence. On x86-64 this fence is no instruction.
        atomicMemoryFence(ordering: .releasing)
        // Pairs with the acquiring exchange of the next holder.
        isLocked.store(false, ordering: .releasing)
      }
      return body()
    #endif
  }

  #if !canImport(Darwin)
    /// Acquires the lock while another thread holds it.
    ///
    /// After 64 looks the holder is probably not running, so the thread yields its core to it.
    @usableFromInline @inline(never)
    func acquireContended() {
      var looks = 0
      repeat {
        while isLocked.load(ordering: .relaxed) {
          looks += 1
          if looks > 64 { promise_yield() }
        }
        // Pairs with the releasing store in `locked`.
      } while isLocked.exchange(true, ordering: .acquiring)
    }
  #endif
}
