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

    /// Ends those whose session has gone, and that have nothing to do: which stays so.
    static func removeIdle() {
      // Looked at without the lock: the reference to a session may become the last, and then its delegate goes, which is a user's.
      let idle = lock.withLock { unsafe carriers }.filter { $0.value.isIdle }
      let removed = lock.withLock {
        idle.filter { key, carrier in
          guard unsafe carriers[key] === carrier else { return false }
          unsafe carriers[key] = nil
          return true
        }
      }
      for carrier in removed.values { carrier.end() }
    }
  }
#endif
