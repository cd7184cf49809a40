import PromiseContexts
import TestSupport
import Testing

@Suite("Short and long times of a world")
struct LongTimeTests {
  let world = TestWorld()
  let log = Log<String>()

  private var now: Duration { world.time }

  /// A timer that notes its name and the time at which it fires.
  @discardableResult
  private func timer(_ name: String, after delay: Duration) -> any ScheduledTimer {
    world.clock.schedule(after: delay) { [log, clock = world.clock] in log.append("\(name) at \(clock.time)") }
  }

  @Test("row L13: a fraction of a nanosecond counts as a whole one")
  func fractions() {
    timer("one", after: Duration(attoseconds: 1))
    timer("two", after: Duration(attoseconds: 1_000_000_001))
    #expect(world.runUntilIdle() == 0)
    #expect(world.advance(by: .nanoseconds(1)) == 1)
    #expect(world.advance(by: .nanoseconds(1)) == 1)
  }

  private let year = Duration.seconds(365 * 86_400)

  @Test("row L13: a duration may be as long as Duration can say")
  func huge() {
    let timers = [Duration(attoseconds: .max), .seconds(Int64.max), year * 1_000].map { timer("huge", after: $0) }
    world.advance(by: year * 100)
    timer("later huge", after: Duration(attoseconds: .max))
    #expect(world.runUntilIdle() == 0 && now == year * 100)
    for timer in timers { #expect(timer.cancel()) }
    #expect(log.entries.isEmpty)
  }

  @Test("row L13: a timer never waits for less than it was asked to, not for a thousand years either")
  func neverEarlier() {
    timer("1000", after: year * 1_000)
    world.advance(by: year * 999)
    #expect(log.entries.isEmpty)
  }

  @Test(
    "row L13: a world moves on by a century as by a second, and ends after 146 years: what is due later never happens")
  func centuries() {
    timer("120", after: year * 120)
    timer("147", after: year * 147)
    world.advance(by: year * 100)
    #expect(now == year * 100)
    world.advance(by: year * 900)
    #expect(now > year * 146 && log.entries == ["120 at \(year * 120)"])
  }

  @Test("row L13: at the end of the time, what is due later is not due then either")
  func afterTheEnd() {
    timer("147", after: year * 147)
    world.advance(by: year * 900)
    #expect(world.runUntilIdle() == 0 && !world.step())
    #expect(world.advance(by: year * 900) == 0 && log.entries.isEmpty)
  }
}
