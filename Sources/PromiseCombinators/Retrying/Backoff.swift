/// How long to wait before another attempt of ``PromiseCore/Promise/retry(_:backoff:on:timers:while:fileID:line:_:)``.
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
  /// - Parameter factor: at least 1.
  public static func exponential(
    first: Duration, factor: Double = 2, cap: Duration = .seconds(60)
  ) -> Backoff {
    Backoff { retry in
      var pause = first
      var missing = retry - 1
      while missing > 0, pause < cap {
        // At a factor of 1, or from nothing, it never gets there.
        guard factor > 1, pause > .zero else { return min(first, cap) }
        // Not beyond what a `Duration` can say.
        guard pause < cap / factor else { return cap }
        pause = pause * factor
        missing -= 1
      }
      return min(pause, cap)
    }
  }

  /// Anything between nothing and what this one says, so that many who failed together do not come again together.
  ///
  /// - Parameter random: a number in 0..<1. A test gives its own.
  public func jittered(
    _ random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) -> Backoff {
    Backoff { pause(before: $0) * random() }
  }
}
