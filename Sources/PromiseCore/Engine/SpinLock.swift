import Synchronization

/// Mutual exclusion for a few instructions: no user code runs under it, nothing is released there that could end a promise or a
/// link, and nobody waits in it (rule 6.5).
///
/// Not a `Mutex`, because ThreadSanitizer reports races under a contended one on Linux that are none.
struct SpinLock: ~Copyable {
  private let isLocked = Atomic<Bool>(false)

  func locked<Result>(_ body: () -> Result) -> Result {
    // Acquiring and releasing: what the last one did under the lock.
    while isLocked.exchange(true, ordering: .acquiring) {
      while isLocked.load(ordering: .relaxed) {}
    }
    defer { isLocked.store(false, ordering: .releasing) }
    return body()
  }
}
