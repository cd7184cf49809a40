import PromiseGates
import TestSupport
import Testing

@Suite("Gates with extreme counts, periods and clocks", .leavingNothing) struct ExtremeLimitTests {
  /// A clock that shows the time that the test sets. Its timers never fire.
  private final class SetClock: TimerContext {
    private final class Timer: ScheduledTimer { func cancel() -> Bool { true } }

    let time = Locked(Duration.zero)
    let delays = Log<Duration>()

    var elapsed: Duration { time.withLock(\.self) }

    func schedule(
      after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
    ) -> any ScheduledTimer { delays.append(delay, returning: Timer()) }
  }

  static let periods = [
    Duration.zero, .seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min),
  ]

  @Test("A rate limit accepts any count and any period", arguments: periods)
  func rates(_ period: Duration) {
    for (count, expected) in [(Int.min, 1), (0, 1), (Int.max, 3)] {
      let context = ManualContext()
      let clock = SetClock()
      let limit = RateLimit(count, per: period, timers: clock)
      let results = (0..<3).map { number in limit.run(on: context) { .fulfilled(number) } }
      context.runUntilIdle()
      let started = results.filter(\.isFulfilled).count
      #expect(started == (period > .zero ? expected : 3))
      #expect(clock.delays.entries == (started == 3 ? [] : [period]))
      // The timers of this clock never fire, so only a cancellation releases the waiting operations.
      for result in results { result.cancel() }
    }
  }

  @Test("A rate limit accepts any time from its clock", arguments: periods)
  func clocks(_ period: Duration) {
    let context = ManualContext()
    let clock = SetClock()
    let limit = RateLimit(1, per: period, timers: clock)
    for time in [Duration(attoseconds: .min), Duration(attoseconds: .max), Duration(attoseconds: .min)] {
      clock.time.withLock { $0 = time }
      let result = limit.run(on: context) { .fulfilled(1) }
      context.runUntilIdle()
      // When the clock has jumped back, the period has not ended yet.
      #expect(result.isFulfilled || period > .zero && time < .zero)
      result.cancel()
    }
  }
}
