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

  @Test("Hooks of a cancellation in a step run in the step, even while a hook outside waits for them", .rule("4.5"))
  func hooksInStep() {
    let (outer, inner, stopped) = world.run { (Deferred<Int>(), Deferred<Int>(), Deferred<Int>()) }
    inner.onCancel { _ in stopped.fulfill(1) }
    let seen = Box<Result<Int, any Error>>()
    outer.onCancel { _ in seen.value = Result { try stopped.promise.waitForValue(within: .seconds(1)) } }
    world.job(on: world.pool) { inner.promise.cancel() }
    world.run { outer.promise.cancel() }
    #expect(throws: Never.self) { try seen.value?.get() }
    #expect(seen.value != nil)
    #expect(world.time == .zero)
  }

  @Test("A release in a step settles its promise in the step, even while a release outside settles promises")
  func releaseInStep() {
    let outer = Box<Deferred<Int>>()
    outer.value = Deferred()
    let seen = Log<Bool?>()
    outer.value?.promise.onRejected(on: .atOnce) { [world] _ in
      let inner = Box<Deferred<Int>>()
      inner.value = Deferred()
      let promise = inner.value?.promise
      world.job(on: world.pool) { inner.value = nil }
      world.runUntilIdle()
      seen.append(promise?.isRejected)
    }
    outer.value = nil
    #expect(seen.entries == [true])
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
