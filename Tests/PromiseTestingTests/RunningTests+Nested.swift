import TestSupport
import Testing

extension RunningTests {
  // MARK: Handlers that run the world

  @Test("A handler may run the world while its own serial context stays busy")
  func nested() {
    let busy = world.serial("busy")
    let free = world.serial("free")
    world.job(on: busy) { [self] in
      log.append("begins")
      note("second", on: busy)
      note("other", on: free)
      #expect(world.step())
      #expect(log.entries == ["begins", "other"])
      #expect(!world.step(), "what is left has to wait for this handler")
      #expect(world.runUntilIdle() == 0)
      log.append("ends")
    }
    // The inner call counted the step that ran inside the handler.
    #expect(world.runUntilIdle() == 2)
    #expect(log.entries == ["begins", "other", "ends", "second"])
  }

  @Test("Concurrent contexts, the pool and time go on inside a handler that runs the world")
  func nestedConcurrent() {
    let concurrent = world.concurrent("c")
    world.job(on: concurrent) { [self] in
      note("same context", on: concurrent)
      note("pool", on: world.pool)
      world.clock.schedule(after: .seconds(1)) { [log] in log.append("timer") }
      #expect(world.advance(by: .seconds(1)) == 3)
      log.append("ends")
    }
    world.runUntilIdle()
    #expect(log.entries == ["same context", "pool", "timer", "ends"])
    #expect(world.time == .seconds(1))
  }

  @Test(
    "A serial context is current even below a handler that runs the world, and a concurrent context returns nil",
    .rule("7.2")
  )
  func isCurrent() {
    let outer = world.serial("outer")
    let inner = world.serial("inner")
    let concurrent = world.concurrent("c")
    let seen = Log<[Bool?]>()
    let look: @Sendable () -> Void = { seen.append([outer.isCurrent, inner.isCurrent, concurrent.isCurrent]) }
    world.job(on: outer) { [world] in
      look()
      world.job(on: inner, look)
      world.runUntilIdle()
      look()
      race([look])
    }
    look()
    world.runUntilIdle()
    world.job(on: concurrent, look)
    world.runUntilIdle()
    look()
    let none: [Bool?] = [false, false, nil]
    #expect(seen.entries == [none, [true, false, nil], [true, true, nil], [true, false, nil], none, none, none])
  }

  // MARK: Limits

  @Test("Work and waits end at the step limit, with the time of the last step, and verify reports it")
  func stepLimit() {
    let world = TestWorld(stepLimit: 10)
    let endless = world.scheduleEndlessWork()
    defer { endless.value = nil }
    #expect(world.runUntilIdle() == 10)
    let report = #expect(throws: WorldReport.self) { try world.verify([]) }
    #expect(report.map { "\($0)".contains("10") } == true, "the limit is named")
    let owner = Deferred<Int>()
    #expect(waitError { try world.run(until: owner.promise) }?.description.contains("10 steps") == true)
    let other = TestWorld(stepLimit: 3)
    for second in 1...9 { other.clock.schedule(after: .seconds(second)) {} }
    #expect(other.advance(by: .seconds(100)) == 3)
    #expect(other.time == .seconds(3))
    #expect(throws: WorldReport.self) { try other.verify([]) }
  }

  @Test("Exactly as many steps as the limit are no endless loop, in each run and in a wait, which is then stuck")
  func withinStepLimit() throws {
    let world = TestWorld(stepLimit: 10)
    for _ in 0..<3 {
      for _ in 0..<10 { world.job(on: world.pool) {} }
      #expect(world.runUntilIdle() == 10)
    }
    try world.verify()
    for _ in 0..<10 { world.job(on: world.pool) {} }
    let owner = Deferred<Int>()
    #expect(waitError { try world.run(until: owner.promise) }?.caseName == "WaitError.stuck")
  }
}
