import TestSupport
import Testing

/// What the main thread does decides whether the main queue is served: every shape of a program has its own process here.
@Suite("Programs: what the main thread does", .bounded)
struct MainThreadTests {
  @Test("row H2, rule 2.1: with the main thread blocked for ever, promises run on all that is not the main queue")
  func blocked() async throws {
    let run = try await ProgramRun("BlockedMain")
    #expect(run.status == 0)
    let places = ["pool", "queue", "concurrent queue", ".concurrent", ".global", "actor 1", "task", "second timer"]
    #expect(run.output == ["timer"] + places)
    #expect(run.errors.isEmpty)
  }

  @Test("row H2: in dispatchMain handlers on: .main run on the main queue")
  func dispatchMain() async throws {
    let run = try await ProgramRun("DispatchMain")
    #expect(run.status == 0)
    #expect(run.output == ["dispatchMain", "main 1", "main 4"])
    #expect(run.errors.isEmpty)
  }

  @Test("row H2: in RunLoop.main.run handlers on: .main run on the main thread")
  func runLoop() async throws {
    let run = try await ProgramRun("RunLoopMain")
    #expect(run.status == 0)
    #expect(run.output == ["RunLoop.main.run", "main 1", "main 3"])
    #expect(run.errors.isEmpty)
  }

  #if DEBUG
    @Test(
      "rows G1 G2 G4 N9, rule 7.2: a wait on the main thread runs its loop, and is refused in a block that holds it up")
    func waiting() async throws {
      let run = try await ProgramRun("WaitingMain")
      #expect(run.status == 0)
      let waits = [
        "chain over main: 3", "timer of the run loop: fired", "rejected: CancellationError()", "broken: true",
      ]
      let nested = ["nested: pool", "nested: refused: the main queue"]
      #expect(run.output == waits + ["timed out"] + nested + ["later: refused: the queue \"occupied\""])
      #expect(run.errors.isEmpty)
    }
  #endif

  @Test("rows H2 N1, rule 4.7: an async main awaits promises whose handlers run on the main actor")
  func asyncMain() async throws {
    let run = try await ProgramRun("AsyncMain")
    #expect(run.status == 0)
    #expect(Array(run.output.prefix(5)) == ["awaiting", "main 1", "main 3", "awaited 3", "threw"])
    #expect(run.errors.isEmpty)
  }

  #if DEBUG
    @Test(
      "In an async main, code on the main actor may not wait for what needs the main actor", .rule("7.2"),
      .feature("N9"))
    func asyncMainWaiting() async throws {
      let run = try await ProgramRun("AsyncMain")
      #expect(run.status == 0)
      let refused = ["the main actor", "a chain", "a handler that returns such a promise"].map {
        "wait for \($0): refused: the main queue"
      }
      #expect(
        Array(run.output.dropFirst(5)) == ["wait for the pool: 1"] + refused + [
          "wait in a handler: refused: the main queue"
        ])
    }
  #endif
}
