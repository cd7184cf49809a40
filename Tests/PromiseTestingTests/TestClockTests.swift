import PromiseContexts
import TestSupport
import Testing

@Suite("A world's clock as a clock of Swift's", .bounded)
struct TestClockTests {
  let world = TestWorld()

  @Test("rows L15 N4: code that takes any clock can be given the world's")
  func anyClock() throws {
    @Sendable func rest(on clock: any Clock<Duration>) async throws { try await clock.sleep(for: .seconds(90)) }
    try world.run { [world] in try await rest(on: world.clock) }
    #expect(world.clock.now == TestClock.Instant(offset: .seconds(90)))
    #expect(world.clock.minimumResolution == .nanoseconds(1))
  }

  @Test(
    "rows L13 N4: as timers it says how much of the world's time has passed, also where the standard ones are asked")
  func elapsed() {
    world.advance(by: .seconds(3))
    let timers: any TimerContext = .standard
    #expect(world.clock.elapsed == .seconds(3) && world.run { timers.elapsed } == .seconds(3))
  }

  @Test("row N4: a time says how long after the world's beginning it is")
  func instant() {
    world.advance(by: .seconds(3))
    #expect("\(world.clock.now)" == "3.0 seconds since the world began")
  }

  @Test("row N4: a Task sleeps until the deadline, not less and not more")
  func deadline() {
    let woke = Log<Duration>()
    let clock = world.clock
    Task(executorPreference: world.taskExecutor) {
      try await clock.sleep(until: TestClock.Instant(offset: .seconds(2)), tolerance: .seconds(1))
      woke.append(clock.now.offset)
    }
    world.advance(by: .seconds(2) - .nanoseconds(1))
    #expect(woke.entries.isEmpty)
    world.advance(by: .nanoseconds(1))
    #expect(woke.entries == [.seconds(2)])
  }

  @Test("row N4: a deadline that has passed is no wait in time", arguments: [0, -5])
  func passed(_ seconds: Int) throws {
    world.advance(by: .seconds(10))
    try world.run { [world] in
      try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(seconds)))
    }
    #expect(world.time == .seconds(10))
  }

  @Test("rule 4.9: a cancelled Task wakes at once, with CancellationError, and leaves no timer behind")
  func cancel() throws {
    let thrown = Log<String>()
    let clock = world.clock
    let task = Task(executorPreference: world.taskExecutor) {
      do {
        try await clock.sleep(for: .seconds(60))
        thrown.append("nothing")
      } catch { thrown.append("\(type(of: error))") }
    }
    world.runUntilIdle()
    #expect(throws: WorldReport.self) { try world.verify(.timers) }
    task.cancel()
    world.runUntilIdle()
    #expect(thrown.entries == ["CancellationError"] && clock.now.offset == .zero)
    try world.verify()
  }

  @Test("rule 4.9: a Task that is cancelled already does not begin to sleep")
  func cancelledBefore() throws {
    let clock = world.clock
    let thrown = try world.run {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(60)) }
    }
    #expect(thrown != nil && clock.now.offset == .zero)
    try world.verify()
  }

  @Test("row N4: sleepers wake in the order of their deadlines, equals as they came")
  func order() throws {
    let log = Log<Int>()
    try world.run { [world] in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for seconds in [3, 1, 2, 1] {
          group.addTask {
            try await world.clock.sleep(for: .seconds(seconds))
            log.append(seconds)
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(log.entries == [1, 1, 2, 3] && world.time == .seconds(3))
  }

  @Test("row N4: what is measured is the world's time")
  func measure() throws {
    let clock = world.clock
    let measured = try world.run {
      await clock.measure {
        for _ in 0..<3 { try? await clock.sleep(for: .milliseconds(7)) }
      }
    }
    #expect(measured == .milliseconds(21))
  }

  @Test("row L13: instants are compared and subtracted as times since the beginning")
  func instants() {
    let (early, late) = (TestClock.Instant(offset: .seconds(1)), TestClock.Instant().advanced(by: .seconds(3)))
    #expect(early < late && !(late < early) && !(early < early))
    #expect(early.duration(to: late) == .seconds(2) && late.duration(to: early) == .seconds(-2))
    #expect(late.offset == .seconds(3) && early.advanced(by: .seconds(2)) == late)
  }
}
