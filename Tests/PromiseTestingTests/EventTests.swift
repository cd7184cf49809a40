import TestSupport
import Testing

@Suite("Events within a duration", .leavingNothing, .bounded) struct EventTests {
  /// Returns the orders of a test's log entries over all schedules.
  private func orders(_ body: (TestWorld, Log<String>) throws -> Void) throws -> [[String]] {
    var visited: [[String]] = []
    let exploration = try TestWorld.exploreAll { world in
      let log = Log<String>()
      try body(world, log)
      visited.append(log.entries)
    }
    #expect(exploration.isComplete)
    #expect(exploration.scheduleCount == visited.count)
    return visited
  }

  /// Returns the numbers of entries that came before the event, over all schedules.
  private func places(_ visited: [[String]]) -> Set<Int?> { Set(visited.map { $0.firstIndex(of: "event") }) }

  @Test("An event that another event adds at the end of the test runs, too")
  func addedAtTheEnd() throws {
    let log = Log<String>()
    try TestWorld.run { world in
      world.sometime("leave", within: .seconds(5)) { [unowned world] in
        log.append("leave")
        world.sometime("return", within: .seconds(5)) { log.append("return") }
      }
    }
    #expect(log.entries == ["leave", "return"])
  }

  // MARK: All orders

  @Test("An event comes before, between and after the timers within its duration, and each order is tried once")
  func timers() throws {
    func orders(within seconds: Int) throws -> [[String]] {
      try self.orders { world, log in
        world.sometime("event", within: .seconds(seconds)) { log.append("event") }
        for second in 1...3 { world.clock.schedule(after: .seconds(second)) { log.append("\(second)") } }
        world.advance(by: .seconds(10))
      }
    }
    // At the deadline of the event, the event and the timer come in either order.
    #expect(try places(orders(within: 2)) == [0, 1, 2])
    let visited = try orders(within: 5)
    #expect(places(visited) == [0, 1, 2, 3])
    // There is one order more than places, because the event comes after the last timer at once or at its deadline.
    #expect(visited.count == 5)
    #expect(visited.allSatisfy { $0.filter { $0 != "event" } == ["1", "2", "3"] })
  }

  @Test("Two events come in either order, and before and after a timer")
  func twoEvents() throws {
    let visited = try orders { world, log in
      for name in ["a", "b"] { world.sometime(name, within: .seconds(2)) { log.append(name) } }
      world.clock.schedule(after: .seconds(1)) { log.append("timer") }
      world.advance(by: .seconds(2))
    }
    #expect(Set(visited).count == 6, "every order of three: \(Set(visited))")
  }

  @Test("The duration counts from the call, even in a handler")
  func nested() throws {
    var times: Set<Duration> = []
    try TestWorld.exploreAll { world in
      let time = Box<Duration>()
      world.clock.schedule(after: .seconds(3)) { [unowned world] in
        world.sometime("event", within: .seconds(1)) { [clock = world.clock] in time.value = clock.elapsed }
      }
      world.advance(by: .seconds(10))
      times.insert(try #require(time.value))
    }
    #expect(times == [.seconds(3), .seconds(4)])
  }

  // MARK: Without time and without exploration

  @Test("An event may stay out of runUntilIdle, and comes at the end of the test at the latest")
  func endOfTest() throws {
    let log = Log<String>()
    var counts: Set<Int> = []
    let exploration = try TestWorld.exploreAll { world in
      let events = Log<String>()
      world.sometime("event", within: .seconds(5)) {
        events.append("event")
        log.append("event")
      }
      world.runUntilIdle()
      counts.insert(events.entries.count)
    }
    #expect(counts == [0, 1])
    #expect(log.entries.count == exploration.scheduleCount)
  }

  @Test("Without exploration, each event comes at the end of its duration", arguments: [[1, 3], [3, 1]])
  func twoDeadlines(seconds: [Int]) throws {
    try TestWorld.run { world in
      let log = Log<Duration>()
      for second in seconds {
        world.sometime("event", within: .seconds(second)) { [clock = world.clock] in log.append(clock.elapsed) }
      }
      world.runUntilIdle()
      #expect(log.entries.isEmpty)
      world.advance(by: .seconds(5))
      #expect(log.entries == [.seconds(1), .seconds(3)])
    }
  }

  @Test("An event with a duration of zero or less is ready at once", arguments: [0, -1, Int64.min])
  func noDuration(seconds: Int64) throws {
    let visited = try orders { world, log in
      world.sometime("event", within: .seconds(seconds)) { log.append("event") }
      world.job(on: world.main) { log.append("job") }
      world.clock.schedule(after: .seconds(1)) { log.append("timer") }
      world.advance(by: .seconds(1))
    }
    #expect(visited == [["event", "job", "timer"], ["job", "event", "timer"]])
  }

  @Test("A very long duration ends with the test")
  func longDuration() throws {
    let visited = try orders { world, log in
      world.sometime("event", within: .seconds(Int64.max)) { log.append("event") }
      world.clock.schedule(after: .seconds(1)) { log.append("timer") }
      world.advance(by: .seconds(86_400))
      log.append("end of the test")
    }
    #expect(visited.first == ["timer", "end of the test"])
    #expect(places(visited) == [nil, 0, 1])
  }

  @Test("A wait for a promise runs the events that settle it, unless its limit comes before them")
  func waits() throws {
    let world = TestWorld()
    let answer = world.run { Deferred<Int>() }
    world.sometime("answer", within: .seconds(5)) { answer.fulfill(1) }
    let error = waitError { try world.run(until: answer.promise, within: .seconds(4)) }
    #expect(error?.caseName == "WaitError.timedOut")
    #expect(try world.run(until: answer.promise) == 1 && world.time == .seconds(5))
  }

  @Test("A waiting event is reported, and is released when the world ends")
  func leftOver() {
    let census = Tracked.Census()
    let world = TestWorld()
    for name in ["the user leaves", "the user returns"] {
      let captured = Tracked(census)
      world.sometime(name, within: .seconds(5)) { withExtendedLifetime(captured) {} }
    }
    let report = #expect(throws: WorldReport.self) { try world.verify() }
    #expect(report?.waiting.map(\.description) == ["[sometime] the user leaves", "[sometime] the user returns"])
    world.end()
    #expect(census.living == 0)
    world.sometime("too late", within: .seconds(5)) { Issue.record("after the end of the world") }
    world.advance(by: .seconds(5))
    #expect((try? world.verify()) != nil)
  }

  // MARK: Random orders

  @Test("Seeds place an event at every position among timers with growing delays and their handlers")
  func random() throws {
    var visited: [[String]] = []
    try TestWorld.explore(schedules: 1_000, seed: 1) { world in
      let log = Log<String>()
      world.sometime("event", within: .seconds(60)) { log.append("event") }
      for second in [1, 2, 4, 8, 16, 32] {
        let pause = Deferred<Void>()
        world.clock.schedule(after: .seconds(second)) { pause.fulfill() }
        _ = pause.promise.map { log.append("\(second)") }.map { log.append("\(second) b") }
      }
      world.advance(by: .seconds(60))
      visited.append(log.entries)
    }
    let counts = Dictionary(grouping: visited, by: { $0.firstIndex(of: "event") ?? -1 }).mapValues(\.count)
    #expect(Set(counts.keys) == Set(0...12), "\(counts)")
    #expect(counts.values.allSatisfy { $0 >= 10 }, "\(counts.sorted { $0.key < $1.key })")
  }
}
