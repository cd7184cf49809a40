#if canImport(FoundationNetworking)
  import Foundation
  import PromiseContexts

  /// Measures how long the server of a streamed response is silent.
  ///
  /// The timer of Foundation would also count the time in which the session is paused.
  ///
  /// `@unchecked Sendable`, because the variables are accessed only under the lock.
  final class IdleTimer: @unchecked Sendable {
    private let limit: Duration
    private let timers: any TimerContext
    private let expired: @Sendable () -> Void
    private let lock = NSLock()
    /// The time at which the server has been silent for too long.
    private var end: Duration
    private var isPaused = false
    private var timer: (any ScheduledTimer)?

    /// Starts to measure.
    ///
    /// - Parameters:
    ///   - limit: the idle time.
    ///   - timers: the clock that measures it.
    ///   - expired: is called once, when the limit has passed.
    init(limit: Duration, on timers: any TimerContext, _ expired: @escaping @Sendable () -> Void) {
      self.limit = limit
      self.timers = timers
      self.expired = expired
      end = timers.elapsed + limit
      lock.withLock { checkLater(after: limit) }
    }

    deinit { timer?.cancel() }

    /// Begins to measure anew, because the server was not silent.
    func restart() { lock.withLock { end = timers.elapsed + limit } }

    func setPaused(_ pauses: Bool) {
      lock.withLock {
        isPaused = pauses
        end = timers.elapsed + limit
      }
    }

    /// Sets the timer. Under the lock.
    private func checkLater(after delay: Duration) {
      timer = timers.schedule(after: delay) { [weak self] in self?.check() }
    }

    private func check() {
      let hasExpired = lock.withLock {
        let now = timers.elapsed
        if isPaused { end = now + limit }
        guard end > now else { return true }
        checkLater(after: end - now)
        return false
      }
      if hasExpired { expired() }
    }
  }
#endif
