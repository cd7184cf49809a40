import TestSupport
import Testing

@Suite("Orders that are explored") struct ExploreTests {
  /// Returns the orders in which a world's jobs logged their names over all schedules, and the exploration.
  private func orders(
    atMost limit: Int = 10_000, _ body: (TestWorld, Log<String>) throws -> Void
  ) throws -> (visited: [[String]], exploration: TestWorld.Exploration) {
    var visited: [[String]] = []
    let exploration = try TestWorld.exploreAll(atMost: limit) { world in
      let log = Log<String>()
      try body(world, log)
      world.runUntilIdle()
      visited.append(log.entries)
    }
    #expect(exploration.scheduleCount == visited.count)
    return (visited, exploration)
  }

  /// Returns whether the names that begin with the name of the context came in their order.
  private func isInOrder(_ entries: [String], on context: String) -> Bool {
    let own = entries.filter { $0.hasPrefix(context) }
    return own == own.sorted()
  }

  // MARK: All orders

  @Test(
    "Jobs on one serial context have a single schedule, and n jobs on a concurrent context or the pool have n!",
    arguments: ["main", "serial", "concurrent", "pool"])
  func oneContext(_ name: String) throws {
    let isSerial = name == "main" || name == "serial"
    let (visited, exploration) = try orders { world, log in
      let context: any ExecutionContext =
        switch name {
        case "main": world.main
        case "serial": world.serial("s")
        case "concurrent": world.concurrent("c")
        default: world.pool
        }
      for number in 0..<4 { world.job(on: context) { log.append("\(number)") } }
    }
    let count = isSerial ? 1 : 24
    #expect(exploration.isComplete)
    #expect(visited.count == count)
    #expect(Set(visited).count == count)
    #expect(visited.first == ["0", "1", "2", "3"])
  }

  @Test("Exploration tries every interleaving of serial contexts, and each context keeps its own order")
  func interleavings() throws {
    let (visited, exploration) = try orders { world, log in
      for (name, jobs) in [("a", 3), ("b", 2), ("c", 1)] {
        let context = world.serial(name)
        for number in 0..<jobs { world.job(on: context) { log.append("\(name)\(number)") } }
      }
    }
    #expect(exploration.isComplete)
    #expect(visited.count == 60)
    #expect(Set(visited).count == 60)
    #expect(visited.allSatisfy { order in ["a", "b"].allSatisfy { isInOrder(order, on: $0) } })
  }

  @Test("Other jobs may come between handlers of one settlement on a serial context, which stay in order", .rule("2.2"))
  func batches() throws {
    let (visited, exploration) = try orders { world, log in
      let owner = Deferred<Int>()
      let serial = world.serial("s")
      for number in 0..<3 { owner.promise.onFulfilled(on: serial) { _ in log.append("s\(number)") } }
      owner.fulfill(1)
      world.job(on: world.main) { log.append("main") }
    }
    #expect(exploration.isComplete)
    #expect(Set(visited).count == 4)
    #expect(visited.allSatisfy { isInOrder($0, on: "s") })
  }

  @Test(
    "Exploration ends at its limit and reports whether it was complete",
    arguments: [(1, false), (23, false), (24, true), (25, true)])
  func limit(limit: Int, isComplete: Bool) throws {
    let (visited, exploration) = try orders(atMost: limit) { world, log in
      for number in 0..<4 { world.job(on: world.pool) { log.append("\(number)") } }
    }
    #expect(visited.count == min(limit, 24))
    #expect(exploration.isComplete == isComplete)
  }
}
