#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A value behind a lock. `Synchronization.Mutex` is not used, because ThreadSanitizer reports false races in it as
/// soon as two threads contend. The `Locked` of the tests is not used, because it would need Foundation and other
/// modules of this package.
///
/// `@safe`, because no other code sees the pointer.
@safe final class Guarded<Value>: @unchecked Sendable {
  // `@unchecked`, because the value is accessed only under the lock.
  private var value: Value
  // Safe, because the memory is initialized as long as this object lives, and never moves.
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
