import TestSupport
import Testing

@Suite("A world and several threads", .bounded) struct ThreadsOfWorldTests {
  @Test("A waiter gets the value of a promise that another thread settles at the same moment")
  func settledMeanwhile() {
    for _ in 0..<100 {
      let world = TestWorld()
      let promise = world.run { Promise.run { 1 } }
      let value = Locked<Int?>(nil)
      race([
        { world.runUntilIdle() },
        {
          let found = try? world.run(until: promise)
          value.withLock { $0 = found }
        },
      ])
      #expect(value.withLock { $0 } == 1)
    }
  }

  @Test("A world can be checked while it runs and while promises are made in it", .rule("8.2"))
  func checked() {
    let world = TestWorld()
    race([
      { for number in 0..<500 { world.run { _ = Promise.run { number }.map { "\($0)" } } } },
      { for _ in 0..<100 { world.runUntilIdle() } },
      { for _ in 0..<50 { try? world.verify(.all) } },
      { for _ in 0..<50 { try? world.run { try waitForPromises(within: .zero) } } },
    ])
    world.runUntilIdle()
    #expect(throws: Never.self) { try world.verify([.pendingPromises, .waiting]) }
  }

  @Test("Jobs that another thread adds at the last moment do not count as an endless loop")
  func lastMoment() {
    let world = TestWorld()
    race([
      { for _ in 0..<5_000 { world.job(on: world.pool) {} } },
      { for _ in 0..<5_000 { world.runUntilIdle() } },
    ])
    #expect(throws: Never.self) { try world.verify([]) }
  }

  @Test("A context of a world is current for the thread that runs its job and for no other thread", .rule("7.2"))
  func occupied() {
    let world = TestWorld()
    let serial = world.serial("one")
    let wrong = Locked(0)
    let right = Locked(0)
    race([
      {
        for _ in 0..<2_000 {
          world.job(on: serial) { if serial.isCurrent == true { right.withLock { $0 += 1 } } }
          world.step()
        }
      },
      { for _ in 0..<20_000 where serial.isCurrent == true { wrong.withLock { $0 += 1 } } },
    ])
    #expect(wrong.withLock { $0 } == 0)
    #expect(right.withLock { $0 } == 2_000)
  }

  // MARK: A thread that hangs in a step

  @Test("The end of a test reports once that another thread hangs in a step, and the events left", .rule("7.2"))
  func hangingStep() {
    let world = TestWorld(stepLockTimeout: .zero)
    let hasBegun = Gate()
    let mayEnd = Gate()
    let reports = Log<WorldReport?>()
    world.job(on: world.pool) {
      hasBegun.open()
      mayEnd.wait()
    }
    race([
      { world.step() },
      {
        hasBegun.wait()
        world.sometime("the user leaves", within: .seconds(1)) {}
        reports.append(#expect(throws: WorldReport.self) { try world.runToItsEnd(checking: .waiting) { _ in } })
        mayEnd.open()
      },
    ])
    #expect(reports.entries.map(\.?.failures) == [["\(WaitError.worldBusy)"]])
    #expect(reports.entries.map { $0?.waiting.map(\.action) } == [["the user leaves"]])
  }

  @Test("A step that cannot run because another thread runs one is a failure of the test", .rule("7.2"))
  func busyStep() {
    let world = TestWorld(stepLockTimeout: .zero)
    let hasRun = Log<Bool>()
    world.job(on: world.pool) { race([{ hasRun.append(world.step()) }]) }
    world.runUntilIdle()
    #expect(hasRun.entries == [false])
    let report = #expect(throws: WorldReport.self) { try world.verify([]) }
    #expect(report?.failures == ["\(WaitError.worldBusy)"])
  }

  // MARK: The main of several worlds

  @Test("A step on the main of a world excludes steps on the mains of other worlds, and no other steps", .rule("8.2"))
  func mainExcludes() throws {
    let world = TestWorld()
    let other = TestWorld(stepLockTimeout: .zero)
    let log = Log<String>()
    let counts = Log<Int>()
    let findings = Log<Bool>()
    for number in 1...2 {
      other.job(on: other.pool) { log.append("pool \(number)") }
      other.job(on: other.main) { log.append("main \(number)") }
    }
    world.job(on: world.main) {
      log.append("begins")
      race([{ counts.append(other.runUntilIdle()) }])
      findings.append((try? other.verify([])) == nil)
      log.append("goes on")
      // The step that could not run has kept its place. In this thread it may run, even while worlds of other tests run.
      counts.append(other.runUntilIdle())
    }
    world.runUntilIdle()
    #expect(counts.entries == [1, 3])
    #expect(findings.entries == [true])
    #expect(log.entries == ["begins", "pool 1", "goes on", "main 1", "pool 2", "main 2"])
    try other.verify()
  }

  @Test("A wait for a world whose main is excluded throws worldBusy, and can go on later", .rule("7.2"))
  func mainExcludesWait() {
    let world = TestWorld()
    let other = TestWorld(stepLockTimeout: .zero)
    let promise = other.run { Promise.run(on: .main) { 1 } }
    let seen = Box<WaitError>()
    let value = Box<Int>()
    world.job(on: world.main) {
      race([{ seen.value = waitError { try other.run(until: promise) } }])
      value.value = try? other.run(until: promise)
    }
    world.runUntilIdle()
    #expect(seen.value?.description == WaitError.worldBusy.description)
    #expect(value.value == 1)
  }

  @Test("A step on the main of a world may run its own world and the main of another")
  func nestedMain() {
    let world = TestWorld()
    let other = TestWorld(stepLockTimeout: .zero)
    let log = Log<String>()
    other.job(on: other.main) { log.append("other main") }
    world.job(on: world.main) {
      world.job(on: world.pool) { log.append("pool") }
      world.runUntilIdle()
      #expect(other.runUntilIdle() == 1)
      log.append("ends")
    }
    world.runUntilIdle()
    #expect(log.entries == ["pool", "other main", "ends"])
  }

  @Test("Handlers on the mains of worlds that run at the same time never overlap", .rule("8.2"))
  func mainsNeverOverlap() {
    let visits = Unprotected()
    race(
      (0..<4).map { _ in
        {
          let world = TestWorld()
          for _ in 0..<200 { world.job(on: world.main) { visits.visit() } }
          world.runUntilIdle()
        }
      })
    #expect(visits.most == 1)
    #expect(visits.count == 800)
  }

  @Test("A manual context is current for the thread that steps it and for no other thread", .rule("7.2"))
  func manual() {
    let context = ManualContext()
    let answers = Log<Bool?>()
    let job = Promise.run(on: context) {
      answers.append(context.isCurrent)
      race([{ answers.append(context.isCurrent) }])
      context.step()
      answers.append(context.isCurrent)
    }
    let inner = Promise.run(on: context) { answers.append(context.isCurrent) }
    context.step()
    answers.append(context.isCurrent)
    #expect(answers.entries == [true, false, true, true, false])
    #expect(job.isFulfilled)
    #expect(inner.isFulfilled)
  }

  @Test("Jobs that a manual context drops may schedule on the same context", .rule("6.2"))
  func dropping() {
    let context = ManualContext()
    let recovered = Promise.fulfilled(1).map(on: context) { $0 }.recover(on: context) { _ in 2 }
    context.dropAll()
    #expect(context.count == 1)
    context.runUntilIdle()
    #expect(recovered.state.value == 2)
  }

  #if DEBUG
    @Test("A Task made by a handler on an actor does not occupy the actor while the handler runs", .rule("7.2"))
    func taskOfHandler() async throws {
      actor Store {}
      let isRefused = try await Promise.fulfilled(1).map(isolatedTo: Store()) { store, _ in isTaskRefused(by: store) }
        .value
      #expect(!isRefused)
    }

    /// Runs a Task off the actor inside this call. Returns whether it may not wait for a handler on the actor.
    private func isTaskRefused(by actor: any Actor) -> Bool {
      let executor = ManualExecutor()
      let isRefused = Locked(true)
      Task(executorPreference: executor) {
        let waited = Promise<Int>.fulfilled(2).map(isolatedTo: actor) { _, number in number }
        let error = WaitProbe.wait(for: waited, limit: .nanoseconds(1))
        isRefused.withLock { if case .wouldBlock? = error { $0 = true } else { $0 = false } }
      }
      executor.runUntilIdle()
      return isRefused.withLock(\.self)
    }
  #endif
}
