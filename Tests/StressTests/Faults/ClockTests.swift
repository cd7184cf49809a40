import PromiseCombinators
import TestSupport
import Testing

extension Stress {
  @Suite("Faults: clocks that jump")
  struct ClockTests {
    /// Jumps in seconds, forwards and backwards, of up to a year.
    private static let jumps: [Int64] = [1, -1, 1_000, -500, 0, 31_557_600, -31_557_600, 60, -60]

    @Test(
      "A rate limit admits all its callers under a jumping clock and leaves no timer", .rule("4.9"), arguments: 0..<20)
    func rateLimit(seed: Int) {
      var random = Seeded(UInt64(seed))
      let (clock, context) = (JumpingClock(), ManualContext())
      let limit = RateLimit(2, per: .seconds(30), timers: clock)
      let results = (0..<6).map { number in limit.run(on: context) { .fulfilled(number) } }
      var rounds = 0
      while results.contains(where: \.isPending), rounds < 10_000 {
        rounds += 1
        context.runUntilIdle()
        // The clock jumps forwards more often than backwards.
        clock.jump(by: abs(Self.jumps.randomElement(using: &random) ?? 0))
        clock.jump(by: Self.jumps.randomElement(using: &random) ?? 0)
      }
      #expect(results.allSatisfy { $0.isFulfilled } && clock.waiting == 0)
    }
  }
}

/// A clock with timers that a test moves forwards and backwards.
final class JumpingClock: TimerContext {
  /// The start time, which leaves the clock room to move in both directions.
  private static let start: UInt64 = 1 << 61
  private let time = Locked(start)
  private let timers = TimerQueue { _ in }

  var elapsed: Duration { .nanoseconds(Int64(time.withLock(\.self))) }

  /// The number of armed timers.
  var waiting: Int { timers.count }

  func schedule(
    after delay: Duration, from site: CreationSite, _ action: @escaping @Sendable () -> Void
  ) -> any ScheduledTimer {
    timers.schedule(at: delay.deadline(from: time.withLock(\.self)), from: site, action)
  }

  /// Moves the clock and fires the timers that are due.
  func jump(by seconds: Int64) {
    let shown = time.withLock { time in
      time = UInt64(Int64(time) + seconds * 1_000_000_000)
      return time
    }
    timers.alarmFired(at: shown)
  }
}
