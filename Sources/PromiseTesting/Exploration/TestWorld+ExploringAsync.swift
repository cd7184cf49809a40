// Exploration of async tests. The parts of such a test are also steps of the world.

extension TestWorld {
  /// Explores an async test, as ``explore(schedules:seed:checking:_:)-18960`` does a synchronous one. The test runs as
  /// in ``run(_:)->Value``. Where it waits, any step that is ready may come before it goes on.
  @discardableResult
  public static func explore(
    schedules count: Int = 1_000, seed: UInt64, checking checks: Checks = .all,
    _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws -> Exploration {
    try explore(schedules: count, seed: seed, checking: checks) { world in try world.run { try await body(world) } }
  }

  /// Runs an async test in every possible order, as ``exploreAll(atMost:checking:_:)-84kcw`` does a synchronous one.
  @discardableResult
  public static func exploreAll(
    atMost limit: Int = 10_000, checking checks: Checks = .all,
    _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws -> Exploration {
    try exploreAll(atMost: limit, checking: checks) { world in try world.run { try await body(world) } }
  }

  /// Repeats a failure of an async test, as ``replay(seed:checking:_:)-84cnx`` does that of a synchronous one.
  public static func replay(
    seed: UInt64, checking checks: Checks = .all, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    try replay(seed: seed, checking: checks) { world in try world.run { try await body(world) } }
  }

  /// Repeats a failure of an async test, as ``replay(choices:checking:_:)-3l7qf`` does that of a synchronous one.
  public static func replay(
    choices: [Int], checking checks: Checks = .all, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    try replay(choices: choices, checking: checks) { world in try world.run { try await body(world) } }
  }

  /// Repeats a failure of an async test, as ``replay(seed:choices:checking:_:)-4gs7o`` does that of a synchronous one.
  public static func replay(
    seed: UInt64, choices: [Int], checking checks: Checks = .all,
    _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    try replay(seed: seed, choices: choices, checking: checks) { world in try world.run { try await body(world) } }
  }
}
