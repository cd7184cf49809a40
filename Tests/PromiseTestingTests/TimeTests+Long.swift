import PromiseCombinators
import TestSupport
import Testing

// Short and long times of a world.
extension TimeTests {
  private var year: Duration { .seconds(365 * 86_400) }

  @Test("A timer accepts durations up to the longest Duration")
  func huge() {
    let timers = [Duration(attoseconds: .max), .seconds(Int64.max), year * 1_000].map { timer("huge", after: $0) }
    world.advance(by: year * 100)
    timer("later huge", after: Duration(attoseconds: .max))
    #expect(world.runUntilIdle() == 0)
    #expect(now == year * 100)
    for timer in timers { #expect(timer.cancel()) }
    #expect(log.entries.isEmpty)
  }

  @Test("A world advances by a century as by a second, and never fires timers after its end at 146 years")
  func centuries() {
    timer("120", after: year * 120)
    timer("147", after: year * 147)
    world.advance(by: year * 100)
    #expect(now == year * 100)
    world.advance(by: year * 900)
    #expect(now > year * 146)
    #expect(log.entries == ["120 at \(year * 120)"])
    // The timer that is due later does not fire, even at the end of time.
    #expect(world.runUntilIdle() == 0)
    #expect(!world.step())
    #expect(world.advance(by: year * 900) == 0)
  }

  static let extremes = [
    Duration.seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min),
  ]

  @Test("The world can advance by any duration at any time", arguments: extremes)
  func advanceByAny(_ extreme: Duration) {
    world.advance(by: .seconds(1))
    timer("2", after: .seconds(1))
    world.advance(by: extreme)
    world.advance(by: extreme)
    #expect(log.entries == (extreme > .zero ? ["2 at \(Duration.seconds(2))"] : []))
    #expect(extreme > .zero ? now > year * 146 : now == .seconds(1))
  }

  @Test(
    "A task can sleep for any duration and until any instant, and wakes at once if the time has passed",
    arguments: extremes, [false, true])
  func rest(_ extreme: Duration, isInstant: Bool) {
    world.advance(by: .seconds(1))
    let task = world.run { [clock = world.clock, log] in
      Promise.task {
        if isInstant {
          try await clock.sleep(until: .init(offset: extreme))
        } else {
          try await clock.sleep(for: extreme)
        }
        log.append("woken")
      }
    }
    world.advance(by: year * 100)
    #expect(log.entries == (extreme > .zero ? [] : ["woken"]))
    task.cancel()
    world.runUntilIdle()
  }

  @Test("Waits accept any duration", arguments: extremes)
  func wait(for extreme: Duration) {
    world.advance(by: .seconds(1))
    let promise = Promise.after(.seconds(1), fulfill: 1, timers: world.clock)
    #expect((try? world.run(until: promise, within: extreme)) == (extreme > .zero ? 1 : nil))
    world.advance(by: .seconds(1))
  }

  @Test("Instants of the clock saturate")
  func instants() {
    let (last, first) = (
      TestClock.Instant(offset: Duration(attoseconds: .max)), TestClock.Instant(offset: Duration(attoseconds: .min))
    )
    #expect(last.advanced(by: .seconds(1)) == last)
    #expect(first.advanced(by: .seconds(-1)) == first)
    #expect(first.advanced(by: .seconds(1)) > first)
    #expect(last.advanced(by: .seconds(-1)) < last)
    #expect(first.duration(to: last) == last.offset)
    #expect(last.duration(to: first) == first.offset)
    #expect(last.duration(to: last) == .zero)
  }

  @Test("A world whose step limit is zero or negative reports that it has taken too many steps")
  func negativeStepLimit() {
    for limit in [Int.min, -1, 0] {
      let world = TestWorld(stepLimit: limit)
      let promise = world.run { Promise.run { 1 } }
      #expect(throws: WaitError.self) { try world.run(until: promise) }
      world.end()
    }
  }
}
