import PromiseCore
import Synchronization
import TestSupport
import Testing

extension Stress {
  /// What is shared by several promises: combinations, gates, timers, contexts, the hooks of the process.
  @Suite("Races: every pair of operations on what promises share")
  struct TableRaceTests {
    @Test(
      "rules 1.1 4.8 8.2: inputs, and the promise that is made from them", arguments: SequenceStage.Kind.allCases)
    func sequences(_ kind: SequenceStage.Kind) throws {
      try fight(
        Operation<SequenceStage>.ofSequences, in: "\(kind)", on: { SequenceStage(kind) }, SequenceStage.conclude)
    }

    @Test("row N12, rules 4.8 8.2: guests of a gate", arguments: GateStage.Kind.allCases)
    func gates(_ kind: GateStage.Kind) throws {
      try fight(Operation<GateStage>.ofGates, in: "\(kind) gate", on: { GateStage(kind) }, GateStage.conclude)
    }

    @Test("row B11, rule 8.2: a chain that begins when somebody asks for it")
    func lazy() throws { try fight(Operation<LazyStage>.ofLazy, in: "lazy", on: LazyStage.init, LazyStage.conclude) }

    @Test("row L13, rules 4.9 8.2: timers, and what waits for them")
    func timers() throws {
      try fight(Operation<TimerStage>.ofTimers, in: "timers", on: TimerStage.init, TimerStage.conclude)
    }

    @Test("rules 2.1 8.2: contexts with threads of their own")
    func contexts() throws {
      try fight(Operation<ContextStage>.ofContexts, in: "contexts", on: ContextStage.init, ContextStage.conclude)
    }

    @Test("rules 1.3 7.1 8.2: hooks are replaced while they are called: each rejection is heard once")
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
        try Pair.fight(
          Operation.pairs(of: operations, with: index, in: arena, on: stage) { try conclude($0)() })
      }
    }
  }
}
