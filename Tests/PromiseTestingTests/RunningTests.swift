import PromiseContexts
import TestSupport
import Testing

@Suite("Running a world")
struct RunningTests {
  let world = TestWorld()
  let log = Log<String>()

  /// Schedules a job that notes its name.
  private func note(_ name: String, on context: any ExecutionContext) {
    world.job(on: context) { [log] in log.append(name) }
  }

  // MARK: Steps

  @Test("row N4: a step runs one thing, and says whether there was one")
  func step() {
    #expect(!world.step())
    note("first", on: world.pool)
    note("second", on: world.pool)
    #expect(log.entries.isEmpty, "nothing runs before the world is told to")
    #expect(world.step() && log.entries == ["first"])
    #expect(world.step() && log.entries == ["first", "second"])
    #expect(!world.step())
  }

  @Test("row N4: a step fires a timer that is due now, and none that is not")
  func stepOfTimers() {
    world.clock.schedule(after: .nanoseconds(1)) { [log] in log.append("later") }
    world.clock.schedule(after: .zero) { [log] in log.append("now") }
    #expect(world.step() && log.entries == ["now"])
    #expect(!world.step() && log.entries == ["now"] && world.time == .zero)
  }

  @Test("row N4: runUntilIdle runs what handlers add, and counts all")
  func count() {
    #expect(world.runUntilIdle() == 0)
    world.job(on: world.main) { [self] in
      note("inner", on: world.main)
      world.job(on: world.pool) { [self] in note("innermost", on: world.main) }
    }
    #expect(world.runUntilIdle() == 4)
    #expect(log.entries == ["inner", "innermost"])
    #expect(world.runUntilIdle() == 0)
  }

  // MARK: Order

  @Test("row N4: what has waited longest is next, on whatever context, due timers included")
  func order() {
    let (serial, concurrent) = (world.serial("s"), world.concurrent("c"))
    let contexts: [any ExecutionContext] = [serial, concurrent, world.main, world.pool]
    var expected: [String] = []
    for round in 0..<3 {
      for (place, context) in contexts.enumerated() {
        note("\(round).\(place)", on: context)
        world.clock.schedule(after: .zero) { [log] in log.append("\(round).\(place) timer") }
        expected += ["\(round).\(place)", "\(round).\(place) timer"]
      }
    }
    #expect(world.runUntilIdle() == 24)
    #expect(log.entries == expected)
  }

  @Test("row N4: a timer waits from when it is due, not from when it was made")
  func dueTimers() {
    // Both are due at once, before the handler that the first of them adds.
    for name in ["first", "second"] {
      world.clock.schedule(after: .seconds(1)) { [self] in
        log.append(name)
        note("handler after \(name)", on: world.pool)
      }
    }
    // Ready long before the timers are.
    note("early", on: world.pool)
    world.advance(by: .seconds(1))
    #expect(log.entries == ["early", "first", "second", "handler after first", "handler after second"])
  }

  @Test(
    "rule 2.2: handlers of one promise on a serial context run in the order they were attached, others between settlements"
  )
  func attachmentOrder() {
    let serial = world.serial("s")
    let owner = Deferred<Int>()
    for number in 0..<20 { owner.promise.onFulfilled(on: serial) { [log] _ in log.append("\(number)") } }
    note("before", on: serial)
    owner.fulfill(1)
    note("after", on: serial)
    world.runUntilIdle()
    #expect(log.entries == ["before"] + (0..<20).map { "\($0)" } + ["after"])
  }

  // MARK: Threads

  @Test("row N4: jobs that other threads schedule while one runs the world are run too")
  func otherThreads() {
    let (started, added) = (Gate(), Gate())
    let visits = Unprotected()
    let count = Locked(0)
    world.job(on: world.pool) {
      started.open()
      added.wait("job of the other thread")
    }
    race([
      { [world] in
        let steps = world.runUntilIdle()
        count.withLock { $0 += steps }
      },
      { [self] in
        started.wait("handler in the world")
        for _ in 0..<10 { world.job(on: world.main) { visits.visit() } }
        added.open()
      },
    ])
    #expect(count.withLock { $0 } == 11 && visits.count == 10)
  }

  @Test("row N4: threads that run the same world lose nothing, and no two handlers overlap")
  func contention() {
    let serial = world.serial("s")
    let (ofSerial, ofAll, steps, late) = (Unprotected(), Unprotected(), Locked(0), Locked(0))
    race(
      (0..<4).map { thread in
        { [world] in
          for number in 0..<100 {
            let own = world.run {
              Promise.run(on: serial) {
                ofSerial.visit()
                ofAll.visit()
              }
            }
            world.job(on: thread.isMultiple(of: 2) ? world.pool : world.main) { ofAll.visit() }
            if number.isMultiple(of: 3) {
              world.step()
            } else {
              let count = world.runUntilIdle()
              steps.withLock { $0 += count }
              // One thread at a time: who waited finds its own work done.
              if own.isPending { late.withLock { $0 += 1 } }
            }
          }
        }
      })
    world.runUntilIdle()
    #expect(ofSerial.count == 400 && ofSerial.most == 1)
    #expect(ofAll.count == 800 && ofAll.most == 1)
    #expect(late.withLock { $0 } == 0)
    #expect(steps.withLock { $0 } <= 800)
  }

  @Test("row N4: worlds do not see each other, not even in threads that run beside each other")
  func parallelWorlds() {
    let worlds = (0..<4).map { _ in TestWorld() }
    let logs = worlds.map { _ in Log<Int>() }
    race(
      zip(worlds, logs).map { world, log in
        {
          for number in 0..<100 { world.job(on: world.pool) { log.append(number) } }
          world.clock.schedule(after: .seconds(1)) { log.append(100) }
          #expect(world.advance(by: .seconds(1)) == 101)
        }
      })
    for (world, log) in zip(worlds, logs) {
      #expect(log.entries == Array(0...100) && world.time == .seconds(1))
    }
  }

  // MARK: Handlers that run the world

  @Test("row N4: a handler may run the world; its own serial context is busy meanwhile")
  func nested() {
    let (busy, free) = (world.serial("busy"), world.serial("free"))
    world.job(on: busy) { [self] in
      log.append("begins")
      note("second", on: busy)
      note("other", on: free)
      #expect(world.step() && log.entries == ["begins", "other"])
      #expect(!world.step(), "what is left has to wait for this handler")
      #expect(world.runUntilIdle() == 0)
      log.append("ends")
    }
    // The step that ran inside was counted there.
    #expect(world.runUntilIdle() == 2)
    #expect(log.entries == ["begins", "other", "ends", "second"])
  }

  @Test("row N4: contexts that are not serial go on inside a handler that runs the world, and so does time")
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
    #expect(log.entries == ["same context", "pool", "timer", "ends"] && world.time == .seconds(1))
  }

  @Test(
    "rule 7.2: a serial context says that it is occupied, also below a handler that runs the world; a concurrent one cannot tell"
  )
  func isCurrent() {
    let (outer, inner, concurrent) = (world.serial("outer"), world.serial("inner"), world.concurrent("c"))
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

  @Test("row N4: what goes on for ever ends at the step limit, and verify says so")
  func stepLimit() {
    let world = TestWorld(stepLimit: 10)
    let again = Box<@Sendable () -> Void>()
    defer { again.value = nil }
    again.value = { [weak world, weak again] in
      guard let world, let next = again?.value else { return }
      world.job(on: world.pool, next)
    }
    if let first = again.value { world.job(on: world.pool, first) }
    #expect(world.runUntilIdle() == 10)
    let report = #expect(throws: WorldReport.self) { try world.verify([]) }
    #expect(report.map { "\($0)".contains("10") } == true, "the limit is named")
  }

  @Test("row N4: as many steps as the limit are no endless loop, and each call has its own")
  func withinStepLimit() throws {
    let world = TestWorld(stepLimit: 10)
    for _ in 0..<3 {
      for _ in 0..<10 { world.job(on: world.pool) {} }
      #expect(world.runUntilIdle() == 10)
    }
    try world.verify()
  }

  // MARK: Again and again

  @Test("row N4: the same body twice, with handlers, Tasks and timers, happens in the same order")
  func deterministic() {
    func happenings() -> [String] {
      let (world, log) = (TestWorld(), Log<String>())
      let contexts: [any ExecutionContext] = [world.serial("s"), world.concurrent("c"), world.main, world.pool]
      for number in 0..<20 {
        world.run {
          let promise = Promise.run(on: contexts[number % 4]) { log.append("\(number)") }
          _ = promise.asyncMap { log.append("\(number) async") }.tap(on: .main) { log.append("\(number) main") }
          _ = Promise.task { () async throws in
            _ = try? await promise.value
            log.append("\(number) task")
          }
        }
        world.clock.schedule(after: .milliseconds(number * 7 % 5)) { log.append("\(number) timer") }
      }
      world.advance(by: .seconds(1))
      return log.entries
    }
    let once = happenings()
    #expect(once.count == 100)
    for _ in 0..<5 { #expect(happenings() == once) }
  }
}
