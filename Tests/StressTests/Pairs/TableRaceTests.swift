import Synchronization
import TestSupport
import Testing

extension Stress {
  /// Races on objects that several promises share, such as combinations, gates, timers, contexts and the hooks of the
  /// process.
  @Suite("Races: every pair of operations on resources that promises share")
  struct TableRaceTests {
    @Test(
      "Racing operations on inputs and their combined promise leave no promise pending", .rule("1.1", "4.8", "8.2"),
      arguments: SequenceStage.Kind.allCases)
    func sequences(_ kind: SequenceStage.Kind) throws {
      try fight(
        Operation<SequenceStage>.ofSequences, in: "\(kind)", on: { SequenceStage(kind) }, SequenceStage.conclude)
    }

    @Test(
      "Racing operations at a gate never exceed its limit and leave no caller waiting", .rule("4.8", "8.2"),
      arguments: GateStage.Kind.allCases)
    func gates(_ kind: GateStage.Kind) throws {
      try fight(Operation<GateStage>.ofGates, in: "\(kind) gate", on: { GateStage(kind) }, GateStage.conclude)
    }

    @Test("A lazy chain starts at most once and settles in a race of operations", .rule("8.2"))
    func lazy() throws { try fight(Operation<LazyStage>.ofLazy, in: "lazy", on: LazyStage.init, LazyStage.conclude) }

    @Test("Racing operations on timers leave no timer and no pending promise", .rule("4.9", "8.2"))
    func timers() throws {
      try fight(Operation<TimerStage>.ofTimers, in: "timers", on: TimerStage.init, TimerStage.conclude)
    }

    @Test("Racing operations on contexts with their own threads settle every promise", .rule("2.1", "8.2"))
    func contexts() throws {
      try fight(Operation<ContextStage>.ofContexts, in: "contexts", on: ContextStage.init, ContextStage.conclude)
    }

    @Test("Hooks that are replaced while they are called hear each rejection once", .rule("1.3", "7.1", "8.2"))
    func hooks() throws {
      HookStage.listen()
      defer {
        Diagnostics.onUnhandledRejection(nil)
        Diagnostics.onSecondSettlement(nil)
        Diagnostics.carryContext(nil)
      }
      try fight(Operation<HookStage>.ofHooks, in: "hooks", on: HookStage.init, HookStage.conclude)
      #expect(HookStage.heard.load(ordering: .relaxed) == HookStage.made.load(ordering: .relaxed))
    }

    private func fight<Stage>(
      _ operations: [Operation<Stage>], in arena: String, on stage: @escaping @Sendable () -> Stage,
      _ conclude: @escaping @Sendable (Stage) -> () throws -> Void
    ) throws {
      for index in operations.indices {
        try Pair.fight(Operation.pairs(of: operations, with: index, in: arena, on: stage) { try conclude($0)() })
      }
    }
  }
}
