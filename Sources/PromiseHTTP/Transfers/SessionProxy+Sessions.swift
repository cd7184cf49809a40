#if canImport(FoundationNetworking)
  import Dispatch
  import Foundation
  import FoundationNetworking

  extension SessionProxy {
    /// Makes a proxy end with the session to which it belongs.
    private final class Lifetime: Sendable {
      let proxy: SessionProxy

      init(of proxy: SessionProxy) { self.proxy = proxy }

      // The session is deallocated, and each request would retain it, so none is in progress.
      deinit { proxy.end() }
    }

    private static let lock = NSLock()
    private static let lifetimes = DispatchSpecificKey<Lifetime>()

    /// Returns the proxy of a session. Makes it if there is none.
    ///
    /// A session on Linux offers no place for an object of other code. So the proxy is stored with the session's work
    /// queue, which is deallocated with the session. If a later version of Foundation has no such queue, each request
    /// gets a proxy of its own.
    static func proxy(for session: URLSession) -> SessionProxy {
      guard let queue = session.reflectedWorkQueue else {
        return SessionProxy(for: session, endingWithRequest: true)
      }
      return lock.withLock {
        if let lifetime = queue.getSpecific(key: lifetimes) { return lifetime.proxy }
        let proxy = SessionProxy(for: session)
        queue.setSpecific(key: lifetimes, value: Lifetime(of: proxy))
        return proxy
      }
    }
  }

  extension URLSession {
    /// The protocol classes of a session whose configuration sets none.
    private static let protocolClasses = Set(
      (URLSessionConfiguration.ephemeral.protocolClasses ?? []).map(ObjectIdentifier.init))

    /// Returns whether one of the client's own protocol classes loads a request, for example a fake in a test. The
    /// first class of the configuration that accepts a request loads it.
    func hasClientProtocol(for request: URLRequest) -> Bool {
      let loader: AnyClass? = configuration.protocolClasses?.first {
        ($0 as? URLProtocol.Type)?.canInit(with: request) == true
      }
      return loader.map { !Self.protocolClasses.contains(ObjectIdentifier($0)) } ?? false
    }

    /// The queue on which this session does its work, or `nil` if a later version of Foundation has none.
    var reflectedWorkQueue: DispatchQueue? { Mirror(reflecting: self).descendant("workQueue") as? DispatchQueue }

    /// The queue on which libcurl reads and writes for this session, or `nil` if a later version of Foundation has
    /// none. While it is suspended, tasks can still be cancelled.
    var reflectedReadingQueue: DispatchQueue? {
      Mirror(reflecting: self).descendant("multiHandle", "queue") as? DispatchQueue
    }
  }
#endif
