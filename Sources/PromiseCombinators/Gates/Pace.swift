import PromiseContexts

/// How many may start in what time. It reads no clock: time is an argument.
struct Pace {
  private let count: Int
  private let period: Duration
  /// When the last ones started, no more than `count`.
  private var starts = Ring<Duration>()

  init(_ count: Int, per period: Duration) {
    self.count = count
    self.period = period
  }

  /// How long the next must wait: zero or less, it may start now.
  func pause(at now: Duration) -> Duration {
    starts.count < count ? .zero : starts[0] + period - now
  }

  /// One starts now.
  mutating func start(at now: Duration) {
    if starts.count == count { _ = starts.popFirst() }
    starts.append(now)
  }
}
