#if canImport(FoundationNetworking)
  import Dispatch
  import Foundation

  /// Measures how long the server of a streamed response is silent.
  ///
  /// The timer of Foundation would also count the time in which the session is paused.
  ///
  /// `@unchecked Sendable`: the variables are accessed only under the lock after `init`.
  final class IdleTimer: @unchecked Sendable {
    private let limit: TimeInterval
    private let lock = NSLock()
    private let source = DispatchSource.makeTimerSource(queue: .global())
    private var end: DispatchTime
    private var isPaused = false

    /// Starts to measure.
    ///
    /// - Parameters:
    ///   - limit: the idle time, in seconds.
    ///   - expired: is called once, when the limit has passed.
    init(limit: TimeInterval, _ expired: @escaping @Sendable () -> Void) {
      self.limit = limit
      end = .now() + limit
      source.schedule(deadline: end)
      source.setEventHandler { [weak self] in
        if self?.checkEnd() == true { expired() }
      }
      source.resume()
    }

    deinit { source.cancel() }

    /// Begins to measure anew, because the server was not silent.
    func restart() { lock.withLock { end = .now() + limit } }

    func setPaused(_ pauses: Bool) {
      lock.withLock {
        isPaused = pauses
        end = .now() + limit
      }
    }

    /// Returns whether the limit has passed. If it has not, the timer is set again.
    private func checkEnd() -> Bool {
      lock.withLock {
        let now = DispatchTime.now()
        if isPaused { end = now + limit }
        guard end > now else { return true }
        source.schedule(deadline: end)
        return false
      }
    }
  }
#endif
