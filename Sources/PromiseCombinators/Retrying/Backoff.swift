/// How long to wait before another attempt of ``PromiseCore/Promise/retry(attempts:backoff:on:timers:while:fileID:line:_:)-(_,_,ExecutionContext,_,_,_,_,_)``.
///
/// ```swift
/// let patient = Backoff.exponential(first: .milliseconds(100), cap: .seconds(10)).jittered()
/// ```
public struct Backoff: Sendable {
  private let pause: @Sendable (Int) -> Duration

  /// - Parameter pause: before the *n*th attempt anew, from 1.
  public init(_ pause: @escaping @Sendable (_ retry: Int) -> Duration) { self.pause = pause }

  /// Before the *n*th attempt anew, from 1. Never below zero.
  public func pause(before retry: Int) -> Duration { max(.zero, pause(retry)) }

  /// Always the same.
  public static func constant(_ pause: Duration) -> Backoff { Backoff { _ in pause } }

  /// Longer each time: `first`, then that times the factor, and so on, up to a cap.
  ///
  /// A factor less than 1 counts as 1.
  public static func exponential(
    first: Duration, factor: Double = 2, cap: Duration = .seconds(60)
  ) -> Backoff {
    Backoff { retry in
      let multiplier = factor > 1 ? power(factor, max(1, retry) - 1) : 1
      let seconds = max(.zero, first) / .seconds(1)
      // In floating point, where nothing is too much; and 0 times infinity is neither below the cap nor above.
      let pause = seconds * multiplier
      guard pause < cap / .seconds(1) else { return seconds > 0 ? cap : .zero }
      return .seconds(pause)
    }
  }

  /// - Complexity: O(log n).
  private static func power(_ base: Double, _ exponent: Int) -> Double {
    var (result, factor, remainingExponent) = (1.0, base, exponent)
    while remainingExponent > 0 {
      if remainingExponent & 1 == 1 { result *= factor }
      factor *= factor
      remainingExponent >>= 1
    }
    return result
  }

  /// Anything between nothing and what this one says, so that many who failed together do not come again together.
  ///
  /// - Parameter random: a number in 0..<1. A test gives its own.
  public func jittered(
    _ random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) -> Backoff {
    Backoff { retry in
      let share = random()
      guard share > 0 else { return .zero }
      // A product in floating point may be greater than the greatest duration.
      return share < 1 ? pause(before: retry) * share : pause(before: retry)
    }
  }
}
