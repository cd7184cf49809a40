// The same for async tests: their own parts are steps like all others.

extension TestWorld {
  /// As ``explore(schedules:seed:checking:_:)-18960``, for an async test, which runs as ``run(_:)->Value`` says: where it waits,
  /// anything that is ready may come before it goes on.
  @discardableResult
  public static func explore(
    schedules count: Int = 1_000, seed: UInt64, checking checks: Checks = .all,
    _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws -> Exploration {
    try explore(schedules: count, seed: seed, checking: checks) { world in try world.run { try await body(world) } }
  }

  /// As ``exploreAll(atMost:checking:_:)-84kcw``, for an async test.
  @discardableResult
  public static func exploreAll(
    atMost limit: Int = 10_000, checking checks: Checks = .all,
    _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws -> Exploration {
    try exploreAll(atMost: limit, checking: checks) { world in try world.run { try await body(world) } }
  }

  /// As ``replay(seed:checking:_:)-84cnx``, for an async test.
  public static func replay(
    seed: UInt64, checking checks: Checks = .all, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    try replay(seed: seed, checking: checks) { world in try world.run { try await body(world) } }
  }

  /// As ``replay(choices:checking:_:)-3l7qf``, for an async test.
  public static func replay(
    choices: [Int], checking checks: Checks = .all, _ body: @escaping @Sendable (TestWorld) async throws -> Void
  ) throws {
    try replay(choices: choices, checking: checks) { world in try world.run { try await body(world) } }
  }
}
