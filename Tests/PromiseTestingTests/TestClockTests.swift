import TestSupport
import Testing

@Suite("A world's clock as a Swift clock", .bounded) struct TestClockTests {
  let world = TestWorld()

  @Test("Code that accepts any clock can use the world's clock, which counts the time of the world")
  func anyClock() throws {
    @Sendable func rest(on clock: any Clock<Duration>) async throws { try await clock.sleep(for: .seconds(90)) }
    try world.run { [world] in try await rest(on: world.clock) }
    #expect(world.clock.now == TestClock.Instant(offset: .seconds(90)))
    #expect(world.clock.minimumResolution == .nanoseconds(1))
    let timers: any TimerContext = .standard
    #expect(world.clock.elapsed == .seconds(90))
    #expect(world.run { timers.elapsed } == .seconds(90))
    #expect("\(world.clock.now)" == "90.0 seconds since the world began")
  }

  @Test("A Task sleeps exactly until its deadline")
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

  @Test("A sleep has its own deadline, even if another thread moves the time while the sleep begins")
  func deadlineInRace() {
    let executor = ManualExecutor()
    let clock = world.clock
    let deadline = TestClock.Instant(offset: .seconds(1))
    let areAsleep = Locked(false)
    for _ in 0..<2_000 { Task(executorPreference: executor) { try await clock.sleep(until: deadline) } }
    race([
      {
        executor.runUntilIdle()
        areAsleep.withLock { $0 = true }
      },
      { [world] in
        while !areAsleep.withLock(\.self), world.time < deadline.offset { world.advance(by: .nanoseconds(1)) }
      },
    ])
    let report = #expect(throws: WorldReport.self) { try world.verify(.timers) }
    #expect(report?.timers.count == 2_000)
    #expect(Set(report?.timers.map { clock.now.advanced(by: $0.remaining) } ?? []) == [deadline])
    world.advance(to: deadline)
    #expect(throws: Never.self) { try world.verify(.timers) }
    // The Tasks that have slept go on.
    executor.runUntilIdle()
  }

  @Test("A sleep until a time that has passed ends without a move of time")
  func pastDeadline() throws {
    world.advance(by: .seconds(5))
    try world.run { [world] in
      try await world.clock.sleep(until: TestClock.Instant(offset: .seconds(2)))
      try await world.clock.sleep(until: TestClock.Instant(offset: .seconds(-2)))
    }
    #expect(world.time == .seconds(5))
  }

  @Test("A cancelled Task wakes at once with CancellationError and leaves no timer behind", .rule("4.9"))
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
    #expect(thrown.entries == ["CancellationError"])
    #expect(clock.now.offset == .zero)
    try world.verify()
  }

  @Test("A Task that is already cancelled does not begin to sleep", .rule("4.9"))
  func cancelledBefore() throws {
    let clock = world.clock
    let thrown = try world.run {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(60)) }
    }
    #expect(thrown != nil)
    #expect(clock.now.offset == .zero)
    try world.verify()
  }
}
