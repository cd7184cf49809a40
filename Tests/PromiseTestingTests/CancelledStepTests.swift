import PromiseContexts
import TestSupport
import Testing

@Suite("Handlers in a schedule that were cancelled before their turn", .bounded)
struct CancelledStepTests {
  @Test("A handler that is cancelled before its turn is marked, and the others are not", .rule("2.5"))
  func cancelled() {
    let steps = scheduledSteps { world in
      let log = Log<String>()
      _ = Promise.run(on: world.main) { log.append("first") }
      let second = Promise.run(on: world.main, line: 777) { log.append("second") }
      second.cancel()
      _ = Promise.run(on: world.main) { log.append("third") }
      world.runUntilIdle()
      #expect(log.entries == ["first", "third"])
    }
    #expect(steps.map(\.isCancelled) == [false, true, false])
    #expect(steps.map { $0.description.hasSuffix(", cancelled before its turn") } == [false, true, false])
    #expect(steps.dropFirst().first?.description.contains(":777") == true, "\(steps)")
  }

  @Test("A cancelled step inside another step is marked, and the outer step is not")
  func nested() {
    let steps = scheduledSteps { world in
      let main = Promise.run(on: world.main) {
        let inner = Promise.run(on: world.pool) {}
        inner.cancel()
        world.runUntilIdle()
      }
      world.runUntilIdle()
      withExtendedLifetime(main) {}
    }
    #expect(steps.map(\.context) == ["main", "pool"])
    #expect(steps.map(\.isCancelled) == [false, true])
  }

  @Test("Timers and actions are never marked")
  func actions() {
    let steps = scheduledSteps { world in
      world.clock.schedule(after: .seconds(1)) {}
      world.clock.schedule(after: .seconds(1)) {}.cancel()
      world.sometime("event") {}
      world.advance(by: .seconds(1))
    }
    #expect(steps.map(\.context) == ["sometime", "timers"] && steps.allSatisfy { !$0.isCancelled })
  }

  @Test("The printed schedule marks a handler that was cancelled before its turn")
  func printed() {
    let failure = #expect(throws: ScheduleFailure.self) {
      try TestWorld.exploreAll { world in
        let ticket = Promise.run {}
        world.sometime("the user cancels") { ticket.cancel() }
        world.runUntilIdle()
        world.expect(!ticket.isCancelled)
      }
    }
    let lines = failure?.description.split(separator: "\n").suffix(2).map(String.init) ?? []
    #expect(lines.first?.hasSuffix("[sometime] the user cancels") == true, "\(lines)")
    #expect(lines.last?.hasSuffix(", cancelled before its turn") == true, "\(lines)")
  }
}
