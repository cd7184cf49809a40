public import Synchronization

/// Mutual exclusion for a short time, mostly a few instructions: no user code runs under it, nothing is released there
/// that could end a promise or a reaction, and nobody waits in it (rule 6.5).
///
/// On Apple's systems it is a `Mutex`: threads have priorities there, and one that spins could for ever keep a thread of lower
/// priority from leaving. Elsewhere it spins, because ThreadSanitizer reports races under a contended `Mutex` on Linux that are
/// none.
@usableFromInline
package struct ShortLock: ~Copyable, Sendable {
  #if canImport(Darwin)
    @usableFromInline let mutex = Mutex<Void>(())
  #else
    @usableFromInline let isLocked = Atomic<Bool>(false)
  #endif

  @inlinable
  package init() {}

  // Inlinable: not specialised, a call would cost more than the lock.
  @inlinable @inline(__always)
  package func locked<Result>(_ body: () -> Result) -> Result {
    #if canImport(Darwin)
      return mutex.withLock { _ in body() }
    #else
      // Acquiring and releasing: what the last one did under the lock.
      while isLocked.exchange(true, ordering: .acquiring) {
        while isLocked.load(ordering: .relaxed) {}
      }
      defer {
        // For the optimiser, which moves the retain of a reference that was read under the lock past an atomic store, and then
        // another thread lets the object go between the two. Past a fence it moves none. On x86-64 this one is no instruction.
        atomicMemoryFence(ordering: .releasing)
        isLocked.store(false, ordering: .releasing)
      }
      return body()
    #endif
  }
}
