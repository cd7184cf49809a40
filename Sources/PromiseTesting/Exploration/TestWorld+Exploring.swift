extension TestWorld {
  /// The result of ``explore(schedules:seed:checking:_:)-18960`` and ``exploreAll(atMost:checking:_:)-84kcw`` when no
  /// schedule failed.
  public struct Exploration: Sendable {
    /// The number of schedules that were run.
    public let schedules: Int
    /// Whether these are all there are.
    public let isComplete: Bool
  }

  /// Runs a test many times, each time in a new world and in another order. Throws the first failure, with the seed
  /// that repeats it.
  ///
  /// Any step that is ready may be next, except that a serial context and the timers keep their own order.
  ///
  /// ```swift
  /// try TestWorld.explore(schedules: 1_000, seed: 1) { world in
  ///   let cache = Cache()
  ///   let first = cache.value(for: "a")
  ///   let second = Promise.run { "a" }.map { $0 }.then { cache.value(for: $0) }
  ///   world.runUntilIdle()
  ///   world.expect(first.isFulfilled && second.isFulfilled)
  ///   world.expect(cache.requests == 1, "one request for both")
  /// }
  /// ```
  ///
  /// A test fails if it throws, if an ``expect(_:_:fileID:line:)`` fails, or if it leaves something behind
  /// (``verify(_:)``). Failures that a test framework records without throwing are not seen here.
  ///
  /// The test must behave identically whenever the order is the same. So it must not depend on real time, threads of
  /// its own, random numbers of the system, or the order of a `Set` or a `Dictionary`, which differs between processes
  /// (`SWIFT_DETERMINISTIC_HASHING`). The random pauses of `Backoff.jittered()` depend on the seed.
  ///
  /// - Parameters:
  ///   - count: the number of schedules.
  ///   - seed: the seed of the first schedule. The others have the numbers that follow.
  ///   - checks: the kinds of things that must not be left behind.
  ///   - body: the test.
  /// - Throws: ``ScheduleFailure``.
  /// - Complexity: to choose a step takes O(*c*), where *c* is the number of contexts, and a move of memory that is
  ///   proportional to the steps that wait on the chosen one. A schedule in which 20,000 steps wait at the same time
  ///   takes some seconds in a debug build.
  @discardableResult
  public static func explore(
    schedules count: Int = 1_000, seed: UInt64, checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws -> Exploration {
    for number in 0..<max(count, 0) {
      let seed = seed &+ UInt64(number)
      func attempt(isRecording: Bool) -> Attempt {
        Attempt(in: .random(RandomOrder(seed: seed)), isRecording: isRecording, checks, body)
      }
      guard attempt(isRecording: false).error != nil else { continue }
      throw failure(of: attempt(isRecording: true), number: number + 1, replay: .seed(seed))
    }
    return Exploration(schedules: max(count, 0), isComplete: false)
  }

  /// Runs a test in every possible order, as ``explore(schedules:seed:checking:_:)-18960`` does in some.
  ///
  /// Use it for small tests, because the number of orders grows very fast with the number of steps.
  ///
  /// - Parameters:
  ///   - limit: the greatest number of schedules to run.
  ///   - checks: the kinds of things that must not be left behind.
  ///   - body: the test.
  /// - Throws: ``ScheduleFailure``, or ``NotDeterministic`` if a test behaves differently in the same order.
  /// - Complexity: to choose a step takes O(*n* log *n*), where *n* is the number of steps that wait.
  @discardableResult
  public static func exploreAll(
    atMost limit: Int = 10_000, checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws -> Exploration {
    var choices: [FixedOrder.Choice]? = []
    var count = 0
    while let prefix = choices {
      if count >= limit { return Exploration(schedules: count, isComplete: false) }
      count += 1
      choices = try follow(prefix, number: count, checks, body).next
    }
    return Exploration(schedules: count, isComplete: true)
  }

  /// Runs a test once, in the order that a seed gives, to repeat a failure of
  /// ``explore(schedules:seed:checking:_:)-18960``.
  ///
  /// - Throws: ``ScheduleFailure``.
  public static func replay(
    seed: UInt64, checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws {
    try explore(schedules: 1, seed: seed, checking: checks, body)
  }

  /// Runs a test once, with given choices, to repeat a failure of ``exploreAll(atMost:checking:_:)-84kcw``.
  ///
  /// - Parameters:
  ///   - choices: the choices that the failure names. After them, the step that has waited longest is next.
  ///   - checks: the kinds of things that must not be left behind.
  ///   - body: the test.
  /// - Throws: ``ScheduleFailure``, or ``NotDeterministic`` if a choice was not possible.
  public static func replay(
    choices: [Int], checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws {
    _ = try follow(choices.map { FixedOrder.Choice(taken: $0) }, number: 1, checks, body)
  }

  private static func follow(
    _ choices: [FixedOrder.Choice], number: Int, _ checks: Checks, _ body: (TestWorld) throws -> Void
  ) throws -> FixedOrder {
    func run(isRecording: Bool) -> Attempt {
      Attempt(in: .fixed(FixedOrder(choices)), isRecording: isRecording, checks, body)
    }
    let attempt = run(isRecording: false)
    guard case .fixed(let order) = attempt.order else { preconditionFailure("an order became another") }
    let taken = order.made.map(\.taken)
    guard order.matchesPrefix else {
      throw NotDeterministic(replay: .choices(choices.map(\.taken)), error: attempt.error)
    }
    if attempt.error != nil { throw failure(of: run(isRecording: true), number: number, replay: .choices(taken)) }
    return order
  }

  /// - Parameter attempt: the second attempt of a test that has failed in this order.
  private static func failure(of attempt: Attempt, number: Int, replay: ScheduleFailure.Replay) -> any Error {
    guard let error = attempt.error else { return NotDeterministic(replay: replay, error: nil) }
    return ScheduleFailure(error: error, attempt: number, replay: replay, steps: attempt.steps)
  }
}

/// One run of a test in a world of its own.
private struct Attempt {
  let error: (any Error)?
  let order: StepOrder
  let steps: [ScheduledStep]

  /// - Parameter isRecording: whether to record the steps.
  init(
    in order: StepOrder, isRecording: Bool, _ checks: TestWorld.Checks, _ body: (TestWorld) throws -> Void
  ) {
    let world = TestWorld()
    world.scheduler.withQueue { $0.follow(order, isRecording: isRecording) }
    var failure: (any Error)?
    do {
      try world.runToItsEnd(checking: checks) { world in try world.run { try body(world) } }
    } catch {
      failure = error
    }
    error = failure
    (self.order, steps) = world.scheduler.withQueue { ($0.order, $0.history ?? []) }
  }
}
