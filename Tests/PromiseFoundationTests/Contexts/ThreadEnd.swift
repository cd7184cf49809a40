import Glibc

/// Runs a closure when the calling thread ends, after all other thread-specific values have been released.
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
      // The system chooses the order of the destructors of one round. A value that is set in the first round is
      // destroyed in the second.
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
