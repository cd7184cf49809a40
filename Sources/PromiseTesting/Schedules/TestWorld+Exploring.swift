extension TestWorld {
  /// What ``explore(schedules:seed:checking:_:)`` and ``exploreAll(atMost:checking:_:)`` have done, where nothing failed.
  public struct Exploration: Sendable {
    /// How many schedules were run.
    public let schedules: Int
    /// Whether these are all there are.
    public let isComplete: Bool
  }

  /// Runs a test many times, each time in a new world and in another order: whatever is ready may be next, except that a serial context
  /// keeps its own order and timers theirs. Throws the first failure, with the seed that brings it back.
  ///
  /// ```swift
  /// try TestWorld.explore(schedules: 1_000, seed: 1) { world in
  ///   let cache = Cache(load: server.load)
  ///   let first = cache.value(for: "a")
  ///   let second = cache.value(for: "a")
  ///   world.runUntilIdle()
  ///   world.expect(server.requests == 1, "one request for both")
  /// }
  /// ```
  ///
  /// A test fails if it throws, by ``expect(_:_:fileID:line:)``, or if it leaves something behind (``verify(_:)``). What a test framework
  /// notes without throwing is not seen here. The test must do the same whenever the order is the same: no real time, no
  /// threads of its own, no random numbers but those of the seed.
  ///
  /// - Parameters:
  ///   - count: how many schedules.
  ///   - seed: of the first; the others have the numbers that follow.
  ///   - checks: what must not be left behind.
  ///   - body: the test.
  /// - Throws: ``ScheduleFailure``.
  @discardableResult
  public static func explore(
    schedules count: Int = 1_000, seed: UInt64, checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws -> Exploration {
    for number in 0..<max(count, 0) {
      let seed = seed &+ UInt64(number)
      let attempt = Attempt(in: .random(RandomOrder(seed: seed)), checking: checks, body)
      if let error = attempt.error {
        throw ScheduleFailure(
          error: error, attempt: number + 1, replay: .seed(seed), steps: attempt.steps)
      }
    }
    return Exploration(schedules: max(count, 0), isComplete: false)
  }

  /// Runs a test in every order there is: for small ones, as the number grows by multiplication. As ``explore(schedules:seed:checking:_:)``.
  ///
  /// - Parameter limit: after so many schedules it ends, and says that they were not all.
  /// - Throws: ``ScheduleFailure``; ``NotDeterministic``, if a test does other things in the same order.
  @discardableResult
  public static func exploreAll(
    atMost limit: Int = 10_000, checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws -> Exploration {
    var choices: [Int]? = []
    var count = 0
    while let prefix = choices {
      if count >= limit { return Exploration(schedules: count, isComplete: false) }
      count += 1
      choices = try attempt(choices: prefix, number: count, checking: checks, body).next
    }
    return Exploration(schedules: count, isComplete: true)
  }

  /// Runs a test once, in the order that a seed gives: brings a failure of ``explore(schedules:seed:checking:_:)`` back.
  ///
  /// - Throws: ``ScheduleFailure``.
  public static func replay(
    seed: UInt64, checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws {
    try explore(schedules: 1, seed: seed, checking: checks, body)
  }

  /// Runs a test once, with given choices: brings a failure of ``exploreAll(atMost:checking:_:)`` back.
  ///
  /// - Parameter choices: as the failure says them. Where they end, what has waited longest is next.
  /// - Throws: ``ScheduleFailure``; ``NotDeterministic``, if a choice was not there.
  public static func replay(
    choices: [Int], checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws {
    _ = try attempt(choices: choices, number: 1, checking: checks, body)
  }

  private static func attempt(
    choices: [Int], number: Int, checking checks: Checks, _ body: (TestWorld) throws -> Void
  ) throws -> FixedOrder {
    let attempt = Attempt(in: .fixed(FixedOrder(choices)), checking: checks, body)
    guard case .fixed(let order) = attempt.order else { preconditionFailure("an order became another") }
    if order.hasStrayed || order.made.count < choices.count { throw NotDeterministic(choices: choices) }
    if let error = attempt.error {
      throw ScheduleFailure(
        error: error, attempt: number, replay: .choices(order.made.map(\.taken)), steps: attempt.steps)
    }
    return order
  }
}

/// One run of a test in a world of its own.
private struct Attempt {
  let error: (any Error)?
  let order: StepOrder
  let steps: [ScheduledStep]

  init(in order: StepOrder, checking checks: TestWorld.Checks, _ body: (TestWorld) throws -> Void) {
    let world = TestWorld()
    world.agenda.follow(order)
    var failure: (any Error)?
    do {
      try world.run { try body(world) }
      try world.finish(checks)
    } catch {
      failure = error
    }
    error = failure
    (self.order, steps) = world.agenda.record
  }
}
