import PromiseCombinators
import TestSupport
import Testing

@Suite("Shortening of failing schedules", .leavingNothing, .bounded) struct ShorteningTests {
  /// Fails if the event comes between two links. Many other steps run around them.
  private func interrupted(_ world: TestWorld) {
    let log = Log<String>()
    for chain in 0..<3 { _ = (0..<5).reduce(Promise.run { chain }) { chain, _ in chain.map { $0 } } }
    world.sometime("event", within: .seconds(5)) { log.append("event") }
    let pause = Deferred<Void>()
    world.clock.schedule(after: .seconds(1)) { pause.fulfill() }
    _ = pause.promise.map { log.append("first") }.map { log.append("second") }
    world.advance(by: .seconds(5))
    world.expect(log.entries != ["first", "event", "second"], "interrupted")
  }

  /// Returns the choices of a failure.
  private func choices(_ failure: ScheduleFailure?) -> [Int] {
    switch failure?.replay {
    case .choices(let choices), .seedAndChoices(_, let choices): choices
    case .seed, nil: []
    }
  }

  @Test("A random schedule is shortened to a single chosen step", arguments: [0, 1, 42, .max] as [UInt64])
  func random(seed: UInt64) {
    let found = failure { try TestWorld.explore(schedules: 1_000, seed: seed, interrupted) }
    #expect(found?.steps.filter(\.isOutOfTurn).map(\.action) == ["event"], "\(found as Any)")
    #expect(choices(found).count { $0 != 0 } == 1)
  }

  @Test("A schedule from which no single choice can be dropped is replaced by one with fewer choices")
  func fewest() {
    let found = failure {
      try TestWorld.exploreAll { world in
        let order = world.orderOfJobs(4)
        // The choices of the first order are [0, 1, 1], and it is tried before the second.
        world.expect(![[0, 2, 3, 1], [3, 0, 1, 2]].contains(order))
      }
    }
    #expect(found?.replay == .choices([3]), "\(found as Any)")
  }

  @Test("An async test's schedule is shortened, and can be replayed", arguments: [true, false])
  func async(isExhaustive: Bool) {
    let body: @Sendable (TestWorld) async throws -> Void = { world in
      let log = Log<String>()
      for _ in 0..<2 { world.job(on: world.pool) {} }
      world.sometime("event", within: .seconds(2)) { log.append("event") }
      try await world.clock.sleep(for: .seconds(1))
      log.append("goes on")
      try await world.clock.sleep(for: .seconds(1))
      world.expect(log.entries != ["event", "goes on"], "too early")
    }
    let found = failure {
      if isExhaustive { try TestWorld.exploreAll(body) } else { try TestWorld.explore(seed: 1, body) }
    }
    #expect(found?.steps.filter(\.isOutOfTurn).map(\.action) == ["event"], "\(found as Any)")
    let again = failure {
      switch found?.replay {
      case .choices(let choices): try TestWorld.replay(choices: choices, body)
      case .seedAndChoices(let seed, let choices): try TestWorld.replay(seed: seed, choices: choices, body)
      case .seed, nil: break
      }
    }
    if case .seedAndChoices(let seed, _) = found?.replay {
      #expect(failure { try TestWorld.replay(seed: seed, body) }?.replay == .seed(seed))
    }
    #expect(again?.replay == found?.replay)
    #expect(again?.steps.map(\.description) == found?.steps.map(\.description))
  }

  @Test("The shortened schedule has the same random pauses as its seed")
  func randomPauses() {
    let pauses = Log<Duration>()
    func body(_ world: TestWorld) throws {
      for _ in 0..<3 { world.job(on: world.pool) {} }
      let retried = Promise<Int>.retry(attempts: 2, backoff: .constant(.seconds(10)).jittered()) {
        Promise<Int>.rejected(TestError(1))
      }
      #expect(throws: TestError.self) { try world.run(until: retried) }
      pauses.append(world.time)
      world.expect(world.time < .seconds(3))
    }
    let found = failure { try TestWorld.explore(seed: 7, body) }
    guard case .seedAndChoices(let seed, let choices) = found?.replay else {
      return #expect(Bool(false), "\(found as Any)")
    }
    let short = pauses.entries.last
    _ = failure { try TestWorld.replay(seed: seed, choices: choices, body) }
    #expect(pauses.entries.last == short)
    _ = failure { try TestWorld.replay(seed: seed, body) }
    #expect(pauses.entries.last == short)
  }

  @Test("A schedule that fails with an error of another type does not replace the failure")
  func otherError() {
    struct OtherError: Error {}
    var firstOrder: [Int]?
    let found = failure {
      try TestWorld.explore(schedules: 1, seed: 2) { world in
        let order = world.orderOfJobs(6)
        firstOrder = firstOrder ?? order
        if order == firstOrder { throw TestError(1) }
        throw OtherError()
      }
    }
    #expect(firstOrder != [0, 1, 2, 3, 4, 5], "there is something to shorten")
    #expect(found?.error is TestError)
  }

  @Test("After a failure a test runs at most 200 times more")
  func bound() {
    let runs = Locked(0)
    var runsBefore = 0
    let found = failure {
      try TestWorld.explore(schedules: 1_000, seed: 1) { world in
        let run = runs.increment()
        let order = world.orderOfJobs(40)
        let inversions = zip(order, order.dropFirst()).count { $0 > $1 }
        if inversions > 15 {
          if runsBefore == 0 { runsBefore = run }
          world.expect(false)
        }
      }
    }
    #expect(found != nil)
    #expect(runs.withLock(\.self) - runsBefore == 200)
  }

  @Test("A test that does not fail again in its order is reported with its original schedule")
  func notRepeatable() {
    let runs = Locked(0)
    let found = failure {
      try TestWorld.explore(schedules: 1, seed: 3) { world in
        for number in 0..<4 { world.job(on: world.serial("\(number)")) {} }
        world.runUntilIdle()
        // The first run fails, and so does the run that records its steps.
        world.expect(runs.increment() > 2)
      }
    }
    #expect(found?.replay == .seed(3))
    #expect(found?.steps.count == 4)
    #expect(found?.description.contains("not shortened") == true)
    #expect(runs.withLock(\.self) == 3)
  }

  @Test("A test that passes when its failure is recorded is reported with the earlier error")
  func passesLater() {
    let runs = Locked(0)
    let error = #expect(throws: NondeterminismError.self) {
      try TestWorld.explore(schedules: 1, seed: 3) { _ in if runs.increment() == 1 { throw TestError(66) } }
    }
    #expect(error?.replay == .seed(3))
    #expect(error?.error == nil)
    #expect(error?.earlierError as? TestError == TestError(66))
    #expect(error?.description.contains("66") == true)
  }

  @Test("A replay runs the test once")
  func once() {
    let runs = Locked(0)
    let body: (TestWorld) throws -> Void = { _ in
      _ = runs.increment()
      throw TestError(1)
    }
    _ = failure { try TestWorld.replay(seed: 1, body) }
    _ = failure { try TestWorld.replay(choices: [], body) }
    _ = failure { try TestWorld.replay(seed: 1, choices: [], body) }
    #expect(runs.withLock(\.self) == 3)
  }
}
