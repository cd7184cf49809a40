import PromiseContexts

/// How many may start in what time. It reads no clock: time is an argument.
struct RateWindow {
  private let count: Int
  private let period: Duration
  /// When the last ones started, as far as that still matters: no more than `count`.
  private var starts = CircularBuffer<Duration>()

  init(_ count: Int, per period: Duration) {
    self.count = count
    self.period = period
  }

  /// How long the next must wait: zero, it may start now; `nil`, until one of those who are about to start does, or gives up.
  ///
  /// - Parameter admitted: how many are about to start. They count as if they had, and their time has not begun yet.
  /// - Complexity: O(1), over all calls.
  mutating func delay(at now: Duration, admitted: Int) -> Duration? {
    // Compared as durations: the greatest have no sum.
    while !starts.isEmpty, max(.zero, now.subtractingSaturating(starts[0])) >= period { _ = starts.popFirst() }
    if period <= .zero || starts.count + admitted < count { return .zero }
    return starts.isEmpty ? nil : period - max(.zero, now.subtractingSaturating(starts[0]))
  }

  /// One starts now.
  mutating func recordStart(at now: Duration) {
    if period > .zero { starts.append(now) }
  }
}
