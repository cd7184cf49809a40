import PromiseGates
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
      let clock = HandTimers(startingAt: 1 << 31)
      let context = ManualContext()
      let limit = RateLimit(2, per: .seconds(30), timers: clock)
      let results = (0..<6).map { number in limit.run(on: context) { .fulfilled(number) } }
      var rounds = 0
      while results.contains(where: \.isPending), rounds < 10_000 {
        rounds += 1
        context.runUntilIdle()
        // The clock jumps forwards more often than backwards.
        clock.ring(after: abs(Self.jumps.randomElement(using: &random) ?? 0))
        clock.ring(after: Self.jumps.randomElement(using: &random) ?? 0)
      }
      #expect(results.allSatisfy { $0.isFulfilled })
      #expect(clock.count == 0)
    }
  }
}
