import TestSupport
import Testing

@Suite("The time of a world", .leavingNothing, .bounded) struct TimeTests {
  let world = TestWorld()
  let log = Log<String>()

  var now: Duration { world.time }

  /// Sets a timer that logs its name and the time at which it fires.
  @discardableResult
  func timer(_ name: String, after delay: Duration) -> any ScheduledTimer {
    world.clock.schedule(after: delay) { [log, clock = world.clock] in log.append("\(name) at \(clock.time)") }
  }

  // MARK: Moving on

  @Test("advance(by:) fires each due timer at its own time, the end included, and counts the timers")
  func advance() {
    for nanoseconds in [30, 10, 20, 31] { timer("\(nanoseconds)", after: .nanoseconds(nanoseconds)) }
    #expect(world.advance(by: .nanoseconds(9)) == 0)
    #expect(world.advance(by: .nanoseconds(21)) == 3)
    #expect(log.entries == [10, 20, 30].map { "\($0) at \(Duration.nanoseconds($0))" })
    #expect(now == .nanoseconds(30))
    #expect(world.advance(by: .nanoseconds(1)) == 1)
  }

  @Test("advance(to:) fires due timers up to an instant and ends there, even if no timer is due")
  func advanceTo() {
    timer("timer", after: .seconds(2))
    #expect(world.advance(to: TestClock.Instant(offset: .seconds(1))) == 0)
    #expect(now == .seconds(1))
    #expect(world.advance(to: TestClock.Instant(offset: .seconds(5))) == 1)
    #expect(now == .seconds(5))
    #expect(log.entries == ["timer at \(Duration.seconds(2))"])
  }

  @Test("Time never goes back, and an advance by zero or less acts like runUntilIdle")
  func neverBack() {
    world.advance(by: .seconds(5))
    timer("due", after: .zero)
    #expect(world.advance(by: .zero) == 1)
    world.job(on: world.pool) { [log] in log.append("job") }
    #expect(world.advance(by: .seconds(-3)) == 1)
    world.job(on: world.pool) { [log] in log.append("job") }
    #expect(world.advance(to: TestClock.Instant(offset: .seconds(1))) == 1)
    #expect(now == .seconds(5))
    #expect(world.advance(by: Duration(attoseconds: .min)) == 0)
    #expect(now == .seconds(5))
  }

  @Test("Time advances only when no handler is ready, so handlers take no time")
  func onlyWhenIdle() {
    world.clock.schedule(after: .seconds(1)) { [world, log] in
      for _ in 0..<3 {
        world.job(on: world.main) {
          world.job(on: world.pool) { log.append("handler at \(world.time)") }
        }
      }
    }
    timer("next", after: .seconds(1) + .nanoseconds(1))
    world.advance(by: .seconds(86_400))
    let handler = "handler at \(Duration.seconds(1))"
    #expect(log.entries == [handler, handler, handler, "next at \(Duration.seconds(1) + .nanoseconds(1))"])
  }

  // MARK: Order

  @Test("Timers with equal deadlines fire in the order of registration, whenever that was")
  func equalDeadlines() {
    timer("a", after: .seconds(3))
    let cancelled = timer("b", after: .seconds(3))
    world.advance(by: .seconds(1))
    timer("c", after: .seconds(2))
    timer("earlier", after: .seconds(1))
    world.advance(by: .seconds(1))
    timer("d", after: .seconds(1))
    #expect(cancelled.cancel())
    world.advance(by: .seconds(1))
    let time = Duration.seconds(3)
    #expect(log.entries == ["earlier at \(Duration.seconds(2))", "a at \(time)", "c at \(time)", "d at \(time)"])
  }

  @Test("Timers that timers add during an advance fire too, each at its own time")
  func added() {
    let tick = Box<@Sendable () -> Void>()
    defer { tick.value = nil }
    tick.value = { [world, log, weak tick] in
      log.append("\(world.time)")
      if let next = tick?.value { world.clock.schedule(after: .seconds(1), next) }
    }
    if let first = tick.value { world.clock.schedule(after: .seconds(1), first) }
    #expect(world.advance(by: .milliseconds(5500)) == 5)
    #expect(log.entries == (1...5).map { "\(Duration.seconds($0))" })
    #expect(now == .milliseconds(5500))
    #expect(world.advance(by: .milliseconds(500)) == 1, "the sixth is due at six seconds, not later")
  }

  @Test("A timer with a delay of zero or less needs no time, and never fires inside the call", arguments: [0, -1])
  func zero(_ seconds: Int) {
    timer("first", after: .seconds(seconds))
    timer("second", after: seconds < 0 ? Duration(attoseconds: .min) : .zero)
    #expect(log.entries.isEmpty)
    #expect(world.runUntilIdle() == 2)
    #expect(log.entries == ["first at \(Duration.zero)", "second at \(Duration.zero)"])
  }

  // MARK: Cancelling

  @Test("A timer releases its action when it is cancelled, inside the call, and when it has fired", .rule("4.9"))
  func released() throws {
    let census = Tracked.Census()
    func start() -> any ScheduledTimer {
      let captured = Tracked(census)
      return world.clock.schedule(after: .seconds(1)) { [log] in
        withExtendedLifetime(captured) { log.append("fired") }
      }
    }
    let timer = start()
    #expect(census.living == 1)
    #expect(timer.cancel())
    #expect(census.living == 0)
    #expect(!timer.cancel())
    #expect(world.advance(by: .seconds(86_400)) == 0)
    #expect(log.entries.isEmpty)
    try world.verify()
    let fired = start()
    #expect(world.advance(by: .seconds(1)) == 1)
    #expect(census.living == 0)
    withExtendedLifetime(fired) {}
  }

  @Test("A due timer can be cancelled until it runs, even by another timer, but not while it runs or afterwards")
  func cancelDue() {
    let due = timer("due", after: .zero)
    #expect(due.cancel())
    #expect(world.runUntilIdle() == 0)
    let own = Box<any ScheduledTimer>()
    let second = Box<any ScheduledTimer>()
    let answers = Log<Bool?>()
    let running = world.clock.schedule(after: .seconds(1)) {
      for timer in [own, second] { answers.append(timer.value?.cancel()) }
    }
    own.value = running
    second.value = timer("second", after: .seconds(1))
    world.advance(by: .seconds(1))
    #expect(answers.entries == [false, true])
    #expect(!running.cancel())
    #expect(log.entries.isEmpty)
  }
}
