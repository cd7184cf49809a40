#if canImport(FoundationNetworking)
  import Foundation
  import FoundationNetworking

  extension Carrier {
    private static let lock = NSLock()
    // Safe: touched under the lock only.
    nonisolated(unsafe) private static var carriers: [ObjectIdentifier: Carrier] = [:]

    /// The one of a session, made if there is none.
    static func of(_ session: URLSession) -> Carrier {
      removeIdle()
      let key = ObjectIdentifier(session)
      return lock.withLock {
        if let carrier = unsafe carriers[key], carrier.carries(session) { return carrier }
        let new = Carrier(for: session)
        unsafe carriers[key] = new
        return new
      }
    }

    /// Ends those whose session has gone, and that have nothing to do.
    static func removeIdle() {
      let idle = lock.withLock { () -> [Carrier] in
        let idle = unsafe carriers.filter { $0.value.isIdle }
        for key in idle.keys { unsafe carriers[key] = nil }
        return Array(idle.values)
      }
      for carrier in idle { carrier.end() }
    }
  }
#endif
