import PromiseContexts
import TestSupport
import Testing

@Suite("Exploring async tests, and tests that remember", .bounded)
struct ExploreAsyncTests {
  // MARK: What a test does not decide by order

  @Test("row N4: a test that remembers its last run is told so")
  func notDeterministic() {
    var runs = 0
    #expect(throws: NotDeterministic.self) {
      try TestWorld.exploreAll { world in
        runs += 1
        // Fewer in the second run: the choice between three is not there any more.
        for _ in 0..<(runs == 1 ? 3 : 1) { world.job(on: world.pool) {} }
        world.runUntilIdle()
      }
    }
  }

  @Test("row N4: choices that are not there are said, with the choices", arguments: [-1, 3, 99])
  func choicesThatAreNotThere(choice: Int) {
    let error = #expect(throws: NotDeterministic.self) {
      try TestWorld.replay(choices: [choice]) { world in
        for _ in 0..<3 { world.job(on: world.pool) {} }
        world.runUntilIdle()
      }
    }
    #expect(error?.replay == .choices([choice]) && error?.description.contains("\(choice)") == true)
  }

  // MARK: Async tests

  @Test("row N4: async tests are explored: whatever is ready may come before one goes on")
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
    #expect(exploration.isComplete && exploration.schedules == visited.entries.count)
    #expect(Set(visited.entries).count == 6)
  }

  @Test("row N4: an async test that waits for nothing that could happen fails as such")
  func asyncStuck() {
    let error = #expect(throws: ScheduleFailure.self) {
      try TestWorld.explore(schedules: 3, seed: 4) { _ in
        let owner = Deferred<Int>()
        _ = try await owner.promise.value
        withExtendedLifetime(owner) {}
      }
    }
    guard let error, case WaitError.codeStuck = error.error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error.attempt == 1)
  }

  @Test("row N4: limits and checks are those that are asked for, in async tests too")
  func options() throws {
    let four: @Sendable (TestWorld) async -> Void = { world in
      for _ in 0..<4 { world.job(on: world.pool) {} }
    }
    let exploration = try TestWorld.exploreAll(atMost: 5, four)
    #expect(exploration.schedules == 5 && !exploration.isComplete)
    let leaving: @Sendable (TestWorld) async -> Void = { world in world.clock.schedule(after: .seconds(1)) {} }
    let remaining = TestWorld.Checks.all.subtracting(.timers)
    #expect(try TestWorld.explore(schedules: 2, seed: 1, checking: remaining, leaving).schedules == 2)
    #expect(try TestWorld.exploreAll(checking: remaining, leaving).schedules == 1)
    try TestWorld.replay(seed: 1, checking: remaining, leaving)
    try TestWorld.replay(choices: [], checking: remaining, leaving)
  }
}
