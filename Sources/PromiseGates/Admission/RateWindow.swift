import PromiseContexts

/// Limits how many operations start within any stretch of a given length. It reads no clock: time is an argument.
struct RateWindow {
  private let count: Int
  private let period: Duration
  /// The times of the starts within the last period. There are at most `count` of them.
  private var starts = CircularBuffer<Duration>()

  init(_ count: Int, per period: Duration) {
    self.count = count
    self.period = period
  }

  /// Returns how long the next operation must wait.
  ///
  /// - Parameter admitted: the number of operations that are admitted and have not started yet. They count as starts,
  ///   although their period has not begun.
  /// - Returns: zero if the operation may start now; `nil` if it must wait until an admitted operation starts or is
  ///   withdrawn.
  /// - Complexity: amortized O(1).
  mutating func delay(at now: Duration, admitted: Int) -> Duration? {
    // Differences are compared, because the sum of two great durations would overflow.
    while !starts.isEmpty, max(.zero, now.subtractingSaturating(starts[0])) >= period { _ = starts.popFirst() }
    if period <= .zero || starts.count + admitted < count { return .zero }
    return starts.isEmpty ? nil : period - max(.zero, now.subtractingSaturating(starts[0]))
  }

  /// Records that an operation starts now.
  mutating func recordStart(at now: Duration) {
    if period > .zero { starts.append(now) }
  }
}
