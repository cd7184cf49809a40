#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

extension PoolWorker {
  /// The worker whose thread this is.
  static var current: PoolWorker? {
    get {
      // Safe: set for as long as the worker's `drain` runs in this thread, which holds it.
      unsafe pthread_getspecific(key).map { unsafe Unmanaged<PoolWorker>.fromOpaque($0).takeUnretainedValue() }
    }
    set {
      let address = unsafe newValue.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
      unsafe pthread_setspecific(key, address)
    }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key, nil)
    precondition(status == 0, "no more thread-specific keys: pthread_key_create failed with \(status)")
    return key
  }()
}
