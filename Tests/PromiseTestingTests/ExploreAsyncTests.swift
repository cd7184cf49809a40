import TestSupport
import Testing

@Suite("Exploration of async tests and of tests that remember earlier runs", .bounded) struct ExploreAsyncTests {
  // MARK: Tests that are not deterministic

  @Test("A test that does more or less than in its first run fails as not deterministic", arguments: [(3, 1), (2, 4)])
  func notDeterministic(first: Int, later: Int) {
    let runs = Locked(0)
    #expect(throws: NondeterminismError.self) {
      try TestWorld.exploreAll { world in
        let run = runs.increment()
        for _ in 0..<(run == 1 ? first : later) { world.job(on: world.pool) {} }
        world.runUntilIdle()
      }
    }
  }

  @Test("The error of a replay with an unavailable choice names the choices", arguments: [-1, 3, 99])
  func choicesThatAreNotThere(choice: Int) {
    let error = #expect(throws: NondeterminismError.self) {
      try TestWorld.replay(choices: [choice]) { world in
        for _ in 0..<3 { world.job(on: world.pool) {} }
        world.runUntilIdle()
      }
    }
    #expect(error?.replay == .choices([choice]))
    #expect(error?.description.contains("\(choice)") == true)
  }

  // MARK: Async tests

  @Test("Exploration of an async test tries every order of its ready parts")
  func async() throws {
    let visited = Log<[String]>()
    let exploration = try TestWorld.exploreAll { world in
      let log = Log<String>()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<2 {
          group.addTask {
            log.append("\(number) before")
            await Task.yield()
            log.append("\(number) after")
          }
        }
      }
      visited.append(log.entries)
    }
    #expect(exploration.isComplete)
    #expect(exploration.scheduleCount == visited.entries.count)
    #expect(Set(visited.entries).count == 6)
  }

  @Test("An async test that can never continue fails as stuck")
  func asyncStuck() {
    let error = #expect(throws: ScheduleFailure.self) {
      try TestWorld.explore(schedules: 3, seed: 4) { _ in
        let owner = Deferred<Int>()
        _ = try await owner.promise.value
        withExtendedLifetime(owner) {}
      }
    }
    #expect(error?.error.caseName == "WaitError.codeStuck")
    #expect(error?.attempt == 1)
  }

  @Test("Explorations of async tests respect the given limits and checks")
  func options() throws {
    let four: @Sendable (TestWorld) async -> Void = { world in
      for _ in 0..<4 { world.job(on: world.pool) {} }
    }
    let exploration = try TestWorld.exploreAll(atMost: 5, four)
    #expect(exploration.scheduleCount == 5)
    #expect(!exploration.isComplete)
    let leaving: @Sendable (TestWorld) async -> Void = { world in world.clock.schedule(after: .seconds(1)) {} }
    let remaining = TestWorld.Checks.all.subtracting(.timers)
    #expect(try TestWorld.explore(schedules: 2, seed: 1, checking: remaining, leaving).scheduleCount == 2)
    #expect(try TestWorld.exploreAll(checking: remaining, leaving).scheduleCount == 1)
    try TestWorld.replay(seed: 1, checking: remaining, leaving)
    try TestWorld.replay(choices: [], checking: remaining, leaving)
  }
}
