import TestSupport
import Testing

@Suite("Seeds and the reproduction of failures", .leavingNothing, .bounded) struct SeedTests {
  /// Returns the orders of some schedules.
  private func orders(schedules: Int, seed: UInt64) throws -> [[Int]] {
    var visited: [[Int]] = []
    let exploration = try TestWorld.explore(schedules: schedules, seed: seed) { world in
      visited.append(world.orderOfJobs(4))
    }
    #expect(exploration.scheduleCount == schedules)
    #expect(visited.count == schedules)
    return visited
  }

  /// Fails in one of its orders.
  private func lastBeforeFirst(_ world: TestWorld) {
    let order = world.orderOfJobs(4)
    world.expect(order != [3, 1, 0, 2], "an order that is not expected")
  }

  @Test("A seed gives the same orders each time, and the following seeds are those of the next schedules")
  func seeds() throws {
    let once = try orders(schedules: 50, seed: 7)
    #expect(try orders(schedules: 50, seed: 7) == once)
    #expect(try (7..<57).map { try orders(schedules: 1, seed: $0)[0] } == once)
    #expect(Set(once).count > 10)
    #expect(try orders(schedules: 50, seed: 1_000) != once)
    // The last seed is followed by the first.
    #expect(try orders(schedules: 2, seed: .max) == orders(schedules: 1, seed: .max) + orders(schedules: 1, seed: 0))
  }

  @Test("Enough random schedules reach every possible order and no impossible order")
  func reach() throws {
    #expect(Set(try orders(schedules: 600, seed: 1)).count == 24)
    var all: Set<[String]> = []
    var some: Set<[String]> = []
    func note(_ world: TestWorld) -> [String] {
      let log = Log<String>()
      let serial = world.serial("s")
      for number in 0..<2 { world.job(on: serial) { log.append("s\(number)") } }
      _ = Promise.run { log.append("p0") }.map { log.append("p1") }
      world.clock.schedule(after: .zero) { log.append("t0") }
      world.clock.schedule(after: .seconds(1)) { log.append("t1") }
      world.advance(by: .seconds(1))
      return log.entries
    }
    let exploration = try TestWorld.exploreAll { all.insert(note($0)) }
    try TestWorld.explore(schedules: 1_000, seed: 1) { some.insert(note($0)) }
    // These are the orders of s0 s1, p0 p1 and t0 that keep the order within each group. The timer t1 is always last.
    #expect(exploration.scheduleCount == 30)
    #expect(all.count == 30)
    #expect(some == all)
  }

  @Test("A failure has its schedule, seed and choices, and a replay repeats the same steps")
  func replay() throws {
    let found = failure { try TestWorld.explore(schedules: 1_000, seed: 100, lastBeforeFirst) }
    guard let found, case .seedAndChoices(let seed, let choices) = found.replay else {
      return #expect(Bool(false), "\(found as Any)")
    }
    #expect(found.attempt == Int(seed) - 100 + 1)
    #expect(found.attempt > 1)
    let again = failure { try TestWorld.replay(seed: seed, choices: choices, lastBeforeFirst) }
    #expect(again?.replay == found.replay)
    #expect(again?.attempt == 1)
    #expect(again.map { "\($0.error)" } == "\(found.error)")
    #expect(again?.steps.map(\.description) == found.steps.map(\.description))
    #expect(found.steps.count == 4)
    let original = failure { try TestWorld.replay(seed: seed, lastBeforeFirst) }
    #expect(original?.replay == .seed(seed))
    #expect(original?.attempt == 1)
    #expect(original?.steps.count == 4)
    // The previous seed did not fail.
    try TestWorld.replay(seed: seed - 1, lastBeforeFirst)
    var natural: [Int] = []
    try TestWorld.replay(choices: []) { natural = $0.orderOfJobs(4) }
    #expect(natural == [0, 1, 2, 3], "without choices, the job that has waited longest is next")
  }

  // MARK: Causes of failures

  @Test("A test fails by a thrown error, a failed expectation or a leftover, unless that is not checked")
  func reasons() throws {
    let thrown = failure { try TestWorld.explore(schedules: 5, seed: 1) { _ in throw TestError(6) } }
    #expect((thrown?.error as? TestError)?.number == 6)
    #expect(thrown?.attempt == 1)
    let unexpected = failure { try TestWorld.exploreAll(checking: []) { $0.expect(false, "never") } }
    #expect((unexpected?.error as? WorldReport)?.failures.count == 1)
    func leaving(_ world: TestWorld) { world.clock.schedule(after: .seconds(1)) {} }
    let left = failure { try TestWorld.explore(schedules: 5, seed: 1, leaving) }
    #expect((left?.error as? WorldReport)?.timers.count == 1)
    let remaining = TestWorld.Checks.all.subtracting(.timers)
    #expect(try TestWorld.explore(schedules: 5, seed: 1, checking: remaining, leaving).scheduleCount == 5)
    try TestWorld.replay(seed: 1, checking: remaining, leaving)
  }

  @Test("Each schedule has its own world, which is deallocated with all its contents")
  func worlds() throws {
    let census = Tracked.Census()
    try TestWorld.explore(schedules: 20, seed: 1, checking: []) { world in
      let captured = Tracked(census)
      #expect(census.living == 1)
      #expect(Diagnostics.executionTestEnvironment === world)
      #expect(world.time == .zero)
      world.clock.schedule(after: .seconds(1)) { withExtendedLifetime(captured) {} }
      world.job(on: world.pool) { withExtendedLifetime(captured) {} }
    }
    #expect(census.living == 0)
  }

  @Test("The text of a failure contains the error, the seed and numbered steps with contexts and places")
  func text() {
    var line = 0
    let found = failure {
      try TestWorld.explore(schedules: 1, seed: 41) { world in
        _ = Promise.run(on: world.serial("writer")) {}
        line = #line - 1
        world.sometime("the user cancels") {}
        world.runUntilIdle()
        throw TestError(66)
      }
    }
    let text = found?.description ?? ""
    #expect(text.contains("66"), "\(text)")
    #expect(text.contains("replay(seed: 41, choices: [])"), "\(text)")
    #expect(
      text.contains("[writer] handler of Promise<()>, run at PromiseTestingTests/SeedTests.swift:\(line)"), "\(text)")
    #expect(!text.contains("→"))
    #expect(text.contains("the user cancels"))
    #expect(text.contains("1. "))
    #expect(text.contains("2. "))
    let contexts = found?.steps.map(\.context) ?? []
    #expect(contexts.contains("writer"))
    #expect(found?.steps.count == 2)
  }

  @Test("The text of a long schedule shows its end, and the steps are complete, with timers and their times")
  func longText() {
    let found = failure {
      try TestWorld.explore(schedules: 1, seed: 1) { world in
        for number in 1...1_000 { world.clock.schedule(after: .seconds(number)) {} }
        world.advance(by: .seconds(1_000))
        throw TestError(1)
      }
    }
    let lines = found.map { "\($0)".split(separator: "\n") } ?? []
    #expect(lines.count < 500)
    #expect(lines.contains { $0.contains("1000. ") })
    #expect(!lines.contains { $0.contains(" 1. ") })
    #expect(found?.steps.map(\.time) == (1...1_000).map { .seconds($0) })
    #expect(found?.steps.allSatisfy { $0.context == "timers" } == true)
  }
}
