import PromiseContexts
import PromiseCore

/// Computes the pauses between the attempts of
/// ``PromiseCore/Promise/retry(attempts:backoff:within:until:on:timers:while:fileID:line:_:)-(_,_,_,_,_,_,_,_,_,()->Promise<Value>)``.
///
/// ```swift
/// let patient = Backoff.exponential(first: .milliseconds(100), cap: .seconds(10)).jittered()
/// ```
public struct Backoff: Sendable {
  private let pause: @Sendable (Int) -> Duration
  /// Returns the pause that an error asks for.
  private var requestedPause: (@Sendable (any Error) -> Duration?)?

  /// Creates a backoff from a function.
  ///
  /// - Parameter pause: returns the pause before a retry. It gets the number of the retry, from 1.
  public init(_ pause: @escaping @Sendable (_ retry: Int) -> Duration) { self.pause = pause }

  /// Returns the pause before a retry, which is never negative. No error overrides it.
  ///
  /// - Parameter retry: the number of the retry, from 1.
  public func pause(before retry: Int) -> Duration { max(.zero, pause(retry)) }

  /// Returns the pause before a retry, which is never negative. The error of the failed attempt may override it.
  ///
  /// - Parameters:
  ///   - retry: the number of the retry, from 1.
  ///   - error: the error of the attempt before the retry.
  public func pause(before retry: Int, after error: any Error) -> Duration {
    guard let requested = requestedPause?(error) else { return pause(before: retry) }
    return max(.zero, requested)
  }

  /// Returns a backoff whose pauses an error may override, as the header `Retry-After` of a server does.
  ///
  /// ```swift
  /// let polite = Backoff.exponential(first: .milliseconds(200)).jittered()
  ///   .overridden { error in (error as? Busy)?.retryAfter }
  /// ```
  ///
  /// Neither ``jittered()`` nor a cap changes a pause that an error asks for.
  ///
  /// - Parameter pause: returns the pause after an error, or `nil` for the pause of this backoff.
  public func overridden(by pause: @escaping @Sendable (_ error: any Error) -> Duration?) -> Backoff {
    var backoff = self
    backoff.requestedPause =
      if let requestedPause { { pause($0) ?? requestedPause($0) } } else { pause }
    return backoff
  }

  /// Returns a backoff whose pauses all have the same length.
  public static func constant(_ pause: Duration) -> Backoff { Backoff { _ in pause } }

  /// Returns a backoff whose pauses grow exponentially, up to a cap.
  ///
  /// - Parameters:
  ///   - first: the first pause.
  ///   - factor: the ratio of each pause to the one before it. A factor below 1 counts as 1.
  ///   - cap: the longest pause.
  public static func exponential(
    first: Duration, factor: Double = 2, cap: Duration = .seconds(60)
  ) -> Backoff {
    Backoff { retry in
      let multiplier = factor > 1 ? power(factor, max(1, retry) - 1) : 1
      let seconds = max(.zero, first) / .seconds(1)
      // Computed in floating point, which does not overflow. If `first` is zero and the multiplier is infinite, the
      // product is not a number, and so not below the cap. Hence the second check.
      let pause = seconds * multiplier
      guard pause < cap / .seconds(1) else { return seconds > 0 ? cap : .zero }
      return .seconds(pause)
    }
  }

  /// Returns `base` to the power of `exponent`.
  ///
  /// - Complexity: O(log *n*), where *n* is the exponent.
  private static func power(_ base: Double, _ exponent: Int) -> Double {
    var result = 1.0
    var factor = base
    var remainingExponent = exponent
    while remainingExponent > 0 {
      if remainingExponent & 1 == 1 { result *= factor }
      factor *= factor
      remainingExponent >>= 1
    }
    return result
  }

  /// Returns a backoff whose pauses are random, between zero and the pauses of this one.
  ///
  /// Clients that failed at the same time then do not retry at the same time. The system draws the random numbers. In a
  /// `TestWorld`, the seed of its schedule determines them.
  public func jittered() -> Backoff { jittered { Diagnostics.random() } }

  /// Returns a backoff whose pauses are random, between zero and the pauses of this one.
  ///
  /// - Parameter random: returns a number in 0..<1.
  public func jittered(_ random: @escaping @Sendable () -> Double) -> Backoff {
    var backoff = Backoff { [pause] retry in
      let share = random()
      guard share > 0 else { return .zero }
      let pause = max(.zero, pause(retry))
      // The pause is not multiplied by 1, because the rounded product may exceed the greatest duration.
      return share < 1 ? pause * share : pause
    }
    backoff.requestedPause = requestedPause
    return backoff
  }
}
