import Glibc

/// Runs something when the calling thread ends, after all else that is thread-specific has been let go.
enum ThreadEnd {
  static func run(_ body: @escaping @Sendable () -> Void) {
    unsafe pthread_setspecific(key, Unmanaged.passRetained(Body(body)).toOpaque())
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key) { address in
      guard let address = unsafe address else { return }
      // The destructors of one round run in an order of the system's: what is set in the first is called in the second.
      let body = unsafe Unmanaged<Body>.fromOpaque(address).takeRetainedValue()
      unsafe pthread_setspecific(last, Unmanaged.passRetained(body).toOpaque())
    }
    return key
  }()

  private static let last: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key) { address in
      guard let address = unsafe address else { return }
      unsafe Unmanaged<Body>.fromOpaque(address).takeRetainedValue().run()
    }
    return key
  }()
}
