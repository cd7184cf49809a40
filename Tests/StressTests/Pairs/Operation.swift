/// An operation of a thread on objects that it shares with other threads. It is one side of a race.
///
/// Operations stand in tables, so a new operation is raced with all others without a further test.
struct Operation<Stage: Sendable>: Sendable {
  let name: String
  let effect: Effect
  /// Makes the objects that the operation needs, before the race, and returns the closure that its thread runs.
  let prepare: @Sendable (Stage) -> @Sendable () -> SeenSettlement

  init(
    _ name: String, _ effect: Effect = .none, prepare: @escaping @Sendable (Stage) -> @Sendable () -> SeenSettlement
  ) {
    self.name = name
    self.effect = effect
    self.prepare = prepare
  }

  /// Returns an operation that cannot tell whether it came first.
  static func acting(
    _ name: String, _ effect: Effect = .none, _ act: @escaping @Sendable (Stage) -> Void
  ) -> Operation {
    Operation(name, effect) { stage in
      {
        act(stage)
        return .nothing
      }
    }
  }
}
