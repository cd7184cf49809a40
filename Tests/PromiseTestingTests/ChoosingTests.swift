import TestSupport
import Testing

@Suite("Selection of steps by seeds and choices") struct ChoosingTests {
  @Test("Random schedules rarely repeat, and include those that run a chain to its end or alternate", .slow)
  func variety() throws {
    var visited: Set<String> = []
    try TestWorld.explore(schedules: 1_000, seed: 1) { world in
      let log = Log<String>()
      for name in ["a", "b"] {
        _ = (1..<20).reduce(Promise.run { log.append(name) }) { chain, _ in chain.map { log.append(name) } }
      }
      world.runUntilIdle()
      visited.insert(log.entries.joined())
    }
    #expect(visited.count > 900)
    // By chance alone, each of these orders occurs once in half a million schedules.
    for (one, other) in [(["aa", "bb"], ["bb", "aa"]), (["ab", "ab"], ["ba", "ba"])] {
      let orders = [one, other].map { $0.map { String(repeating: $0, count: 10) }.joined() }
      #expect(!visited.isDisjoint(with: orders))
    }
  }

  @Test("A step without an alternative does not affect the later choices of a seed")
  func forced() throws {
    /// Returns the orders of all jobs by seed, or `nil` if the first job did not run first. If `isFirstAlone` is false,
    /// another job is ready beside the first.
    func orders(isFirstAlone: Bool) throws -> [String?] {
      var visited: [String?] = []
      try TestWorld.explore(schedules: 100, seed: 1) { world in
        let log = Log<String>()
        @Sendable func job(_ name: String) { world.job(on: world.pool) { log.append(name) } }
        world.job(on: world.pool) {
          log.append("first")
          for name in isFirstAlone ? ["b", "c", "d", "e"] : ["c", "d", "e"] { job(name) }
        }
        if !isFirstAlone { job("b") }
        world.runUntilIdle()
        visited.append(log.entries.first == "first" ? log.entries.joined() : nil)
      }
      return visited
    }
    let alone = try orders(isFirstAlone: true)
    let beside = try orders(isFirstAlone: false)
    let both = zip(alone, beside).filter { $0.1 != nil }
    #expect(both.count > 10)
    #expect(both.allSatisfy { $0.0 == $0.1 })
  }

  @Test("Choices are numbered from the job that has waited longest, on whatever context")
  func numbers() throws {
    func order(_ choices: [Int]) throws -> [String] {
      let log = Log<String>()
      try TestWorld.replay(choices: choices) { world in
        let a = world.serial("a")
        let b = world.serial("b")
        for (name, context) in [("first", b), ("second", a), ("third", b)] {
          world.job(on: context) { log.append(name) }
        }
        world.runUntilIdle()
      }
      return log.entries
    }
    #expect(try order([]) == ["first", "second", "third"])
    #expect(try order([1]) == ["second", "first", "third"])
    #expect(try order([0, 1]) == ["first", "third", "second"])
  }

  @Test("A failure that does not recur in the same order is reported as not deterministic", arguments: [false, true])
  func notAgain(isExhaustive: Bool) {
    let runs = Locked(0)
    func failsOnce(_ world: TestWorld) { world.expect(runs.increment() != 2) }
    #expect(throws: NondeterminismError.self) {
      if isExhaustive {
        // There is one order, so the failing run is the first.
        _ = runs.increment()
        try TestWorld.exploreAll(failsOnce)
      } else {
        try TestWorld.explore(schedules: 3, seed: 1, failsOnce)
      }
    }
    #expect(runs.withLock { $0 } == 3)
  }

  @Test("A schedule count of zero or less runs no schedules", arguments: [0, -1, .min])
  func none(count: Int) throws {
    let body: (TestWorld) -> Void = { _ in Issue.record("not asked for") }
    #expect(try TestWorld.explore(schedules: count, seed: 1, body).scheduleCount == 0)
    let all = try TestWorld.exploreAll(atMost: count, body)
    #expect(all.scheduleCount == 0)
    #expect(!all.isComplete)
  }
}
