/// Something that a thread can do to what it shares with others: one side of a race.
///
/// A table of operations, and not a test for each two of them: a new one is raced with all others from the day it is written
/// down.
struct Operation<Stage: Sendable>: Sendable {
  let name: String
  let effect: Effect
  /// Makes what the operation needs, before the race, and returns what its thread is to do.
  let prepare: @Sendable (Stage) -> @Sendable () -> Witness

  init(
    _ name: String, _ effect: Effect = .none, prepare: @escaping @Sendable (Stage) -> @Sendable () -> Witness
  ) {
    self.name = name
    self.effect = effect
    self.prepare = prepare
  }
}
