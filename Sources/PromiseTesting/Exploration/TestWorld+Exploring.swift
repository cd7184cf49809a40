extension TestWorld {
  /// The result of ``explore(schedules:seed:checking:_:)-18960`` and ``exploreAll(atMost:checking:_:)-84kcw`` when no
  /// schedule failed.
  public struct Exploration: Sendable {
    /// The number of schedules that were run.
    public let scheduleCount: Int
    /// Whether these are all there are.
    public let isComplete: Bool
  }

  /// Runs a test many times, each time in a new world and in another order. Throws the first failure, with a short
  /// schedule that repeats it.
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
  /// After a failure, the test is run again, at most 200 times, to shorten its schedule. The schedule that is reported
  /// fails with an error of the same type, and has as few steps as could be found that differ from the default order.
  /// The default order takes the step that has waited longest.
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
  /// - Throws: ``ScheduleFailure``, or ``NondeterminismError`` if the test passes when it is run again in the order in
  ///   which it has failed.
  /// - Complexity: to choose a step takes O(*c*), where *c* is the number of contexts, and a move of memory that is
  ///   proportional to the steps that wait on the chosen one. A schedule in which 20,000 steps wait at the same time
  ///   takes some seconds in a debug build.
  @discardableResult
  public static func explore(
    schedules count: Int = 1_000, seed: UInt64, checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws -> Exploration {
    for number in 0..<max(count, 0) {
      let seed = seed &+ UInt64(number)
      let attempt = Attempt(in: .random(RandomOrder(seed: seed)), isRecording: false, checks, body)
      guard let error = attempt.error else { continue }
      let order = StepOrder.random(RandomOrder(seed: seed, isRecording: true))
      throw failure(in: order, after: error, number: number + 1, checks, body)
    }
    return Exploration(scheduleCount: max(count, 0), isComplete: false)
  }

  /// Runs a test in every possible order, as ``explore(schedules:seed:checking:_:)-18960`` does in some.
  ///
  /// Use it for small tests, because the number of orders grows very fast with the number of steps. A failing schedule
  /// is shortened as there.
  ///
  /// - Parameters:
  ///   - limit: the greatest number of schedules to run.
  ///   - checks: the kinds of things that must not be left behind.
  ///   - body: the test.
  /// - Throws: ``ScheduleFailure``, or ``NondeterminismError`` if a test behaves differently in the same order.
  /// - Complexity: to choose a step takes O(*n* log *n*), where *n* is the number of steps that wait.
  @discardableResult
  public static func exploreAll(
    atMost limit: Int = 10_000, checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws -> Exploration {
    var choices: [FixedOrder.Choice]? = []
    var count = 0
    while let prefix = choices {
      if count >= limit { return Exploration(scheduleCount: count, isComplete: false) }
      count += 1
      let attempt = Attempt(in: .fixed(FixedOrder(prefix)), isRecording: false, checks, body)
      if let error = attempt.divergence { throw error }
      if let error = attempt.error {
        throw failure(in: .fixed(FixedOrder(prefix)), after: error, number: count, checks, body)
      }
      guard case .fixed(let order) = attempt.order else { preconditionFailure("an order became another") }
      choices = order.next
    }
    return Exploration(scheduleCount: count, isComplete: true)
  }

  /// Runs a test once, in the order that a seed gives, to repeat a schedule of
  /// ``explore(schedules:seed:checking:_:)-18960`` as it was found, not shortened.
  ///
  /// - Throws: ``ScheduleFailure``.
  public static func replay(
    seed: UInt64, checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws {
    let order = StepOrder.random(RandomOrder(seed: seed))
    let attempt = Attempt(in: order, isRecording: true, checks, body)
    if let error = attempt.error { throw ScheduleFailure(error: error, attempt: 1, of: attempt) }
  }

  /// Runs a test once, with given choices, to repeat a failure of ``exploreAll(atMost:checking:_:)-84kcw``.
  ///
  /// - Parameters:
  ///   - choices: the choices that the failure names. After them, the default order is used, which takes the step that
  ///     has waited longest.
  ///   - checks: the kinds of things that must not be left behind.
  ///   - body: the test.
  /// - Throws: ``ScheduleFailure``, or ``NondeterminismError`` if a choice was not possible.
  public static func replay(
    choices: [Int], checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws {
    try follow(choices, seed: nil, checks, body)
  }

  /// Runs a test once, with the choices and the random numbers of a failure of
  /// ``explore(schedules:seed:checking:_:)-18960``, to repeat the short form of its schedule.
  ///
  /// - Parameters:
  ///   - seed: the seed of the random numbers for code in the world, as for the pauses of `Backoff.jittered()`.
  ///   - choices: the choices that the failure names. After them, the default order is used.
  ///   - checks: the kinds of things that must not be left behind.
  ///   - body: the test.
  /// - Throws: ``ScheduleFailure``, or ``NondeterminismError`` if a choice was not possible.
  public static func replay(
    seed: UInt64, choices: [Int], checking checks: Checks = .all, _ body: (TestWorld) throws -> Void
  ) throws {
    try follow(choices, seed: seed, checks, body)
  }

  private static func follow(
    _ choices: [Int], seed: UInt64?, _ checks: Checks, _ body: (TestWorld) throws -> Void
  ) throws {
    let order = FixedOrder(choices.map { FixedOrder.Choice(taken: $0) }, seed: seed)
    let attempt = Attempt(in: .fixed(order), isRecording: true, checks, body)
    if let error = attempt.divergence { throw error }
    if let error = attempt.error { throw ScheduleFailure(error: error, attempt: 1, of: attempt) }
  }

  /// Runs a test again that has failed in an order, and shortens the schedule.
  ///
  /// - Parameters:
  ///   - order: records the choices.
  ///   - earlier: the error of the first run.
  ///   - number: the number of the schedule.
  private static func failure(
    in order: StepOrder, after earlier: any Error, number: Int, _ checks: Checks, _ body: (TestWorld) throws -> Void
  ) -> any Error {
    let found = Attempt(in: order, isRecording: true, checks, body)
    guard let error = found.error else {
      return NondeterminismError(replay: found.replay, error: nil, earlierError: earlier)
    }
    let short = Shortening.shortForm(of: found) { choices, isRecording in
      let order = FixedOrder(choices.map { FixedOrder.Choice(taken: $0) }, seed: order.seed)
      return Attempt(in: .fixed(order), isRecording: isRecording, checks, body)
    }
    guard let short, let shortError = short.error else {
      return ScheduleFailure(error: error, attempt: number, of: found, isRepeatable: false)
    }
    return ScheduleFailure(error: shortError, attempt: number, of: short)
  }
}
