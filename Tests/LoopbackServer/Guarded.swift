#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A value behind a lock. Not `Synchronization.Mutex`, in which ThreadSanitizer sees races that are none as soon as two threads
/// contend; not the tests' `Locked`, for which Foundation and our own modules would be needed.
/// `@safe`: nobody else sees the pointer.
@safe final class Guarded<Value>: @unchecked Sendable {
  // `@unchecked`: the value is touched under the lock only.
  private var value: Value
  // Safe: initialized for as long as this object lives, and a place in memory that never moves.
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init(_ value: Value) {
    self.value = value
    unsafe pthread_mutex_init(lock, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(lock)
    unsafe lock.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe pthread_mutex_unlock(lock) }
    return body(&value)
  }
}
