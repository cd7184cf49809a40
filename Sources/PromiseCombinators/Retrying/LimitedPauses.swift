import PromiseContexts

/// The pauses of a backoff, as far as they end within a limit.
struct LimitedPauses: Sendable {
  let timers: any TimerContext
  private let backoff: Backoff
  private let limit: Duration?
  /// The time from which the limit counts. Read only if there is a limit.
  private let start: Duration

  init(_ backoff: Backoff, within limit: Duration?, on timers: any TimerContext) {
    self.backoff = backoff
    self.limit = limit
    self.timers = timers
    start = limit == nil ? .zero : timers.elapsed
  }

  /// Returns the pause before a retry, or `nil` if it would end after the limit.
  func pause(before retry: Int, after error: any Error) -> Duration? {
    let pause = backoff.pause(before: retry, after: error)
    return isWithinLimit(pause) ? pause : nil
  }

  /// Whether a pause that begins now ends within the limit.
  func isWithinLimit(_ pause: Duration) -> Bool {
    guard let limit else { return true }
    // Differences are compared, because the sum of two great durations would overflow.
    return pause <= limit.subtractingSaturating(timers.elapsed.subtractingSaturating(start))
  }
}
