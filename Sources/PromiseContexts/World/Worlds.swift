import Synchronization

/// The world that is bound where the caller runs, see ``World``.
package enum Worlds {
  /// How many live. Relaxed: it publishes nothing, and who makes a world does so before binding it.
  ///
  /// To load it is all that code pays for which runs in no test.
  private static let living = Atomic<Int>(0)

  @TaskLocal private static var bound: (any World)?

  /// The bound world.
  package static var current: (any World)? {
    living.load(ordering: .relaxed) == 0 ? nil : bound
  }

  /// The timers of whoever names none.
  package static var timers: any TimerContext { current?.timers ?? DispatchTimers.shared }

  /// A world begins to live. It can be bound until ``ended()``.
  package static func began() { living.add(1, ordering: .relaxed) }

  /// A world, which is bound nowhere any more, has gone.
  package static func ended() { living.subtract(1, ordering: .relaxed) }

  /// Runs a body, in which the world is the current one.
  package static func bind<Result>(_ world: any World, _ body: () throws -> Result) rethrows -> Result {
    try $bound.withValue(world, operation: body)
  }

  /// The same for a body that may suspend.
  package nonisolated(nonsending) static func bind<Result>(
    _ world: any World, _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    try await $bound.withValue(world, operation: body)
  }
}
