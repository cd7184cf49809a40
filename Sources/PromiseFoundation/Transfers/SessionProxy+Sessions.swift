#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  extension SessionProxy {
    private static let lock = NSLock()
    // Safe because it is accessed only under the lock.
    nonisolated(unsafe) private static var proxies: [ObjectIdentifier: SessionProxy] = [:]

    /// Returns the proxy of a session. Makes it if there is none.
    static func proxy(for session: URLSession) -> SessionProxy {
      removeIdle()
      let key = ObjectIdentifier(session)
      return lock.withLock {
        if let proxy = unsafe proxies[key], proxy.isProxy(of: session) { return proxy }
        let new = SessionProxy(for: session)
        unsafe proxies[key] = new
        return new
      }
    }

    /// Removes and invalidates the idle proxies. An idle proxy never gets another request.
    static func removeIdle() {
      // `isIdle` is read without the lock: it retains the client's session for a moment. If that reference becomes the
      // last, the session and its delegate are deallocated here, and the delegate's `deinit` is a client's code.
      let idle = lock.withLock { unsafe proxies }.filter { $0.value.isIdle }
      let removed = lock.withLock {
        idle.filter { key, proxy in
          guard unsafe proxies[key] === proxy else { return false }
          unsafe proxies[key] = nil
          return true
        }
      }
      for proxy in removed.values { proxy.invalidate() }
    }
  }
#endif
