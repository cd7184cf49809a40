import TestSupport
import Testing

/// Each kind of program has its own process, because the activity of the main thread decides whether the main queue is
/// served.
@Suite("Programs: activity of the main thread", .bounded)
struct MainThreadTests {
  @Test("Handlers run on all contexts except the main queue while the main thread is blocked", .rule("2.1"))
  func blocked() async throws {
    let run = try await ProgramRun("BlockedMain")
    #expect(run.status == 0)
    let places = ["pool", "queue", "concurrent queue", ".concurrent", ".global", "actor 1", "task", "second timer"]
    #expect(run.output == ["timer"] + places)
    #expect(run.errors.isEmpty)
  }

  @Test("Handlers on .main run on the main queue in dispatchMain")
  func dispatchMain() async throws {
    let run = try await ProgramRun("DispatchMain")
    #expect(run.status == 0)
    #expect(run.output == ["dispatchMain", "main 1", "main 4"])
    #expect(run.errors.isEmpty)
  }

  @Test("Handlers on .main run on the main thread in RunLoop.main.run")
  func runLoop() async throws {
    let run = try await ProgramRun("RunLoopMain")
    #expect(run.status == 0)
    #expect(run.output == ["RunLoop.main.run", "main 1", "main 3"])
    #expect(run.errors.isEmpty)
  }

  #if DEBUG
    @Test("A wait on the main thread runs its run loop, and is refused in a block of the main queue", .rule("7.2"))
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

  @Test("An async main awaits promises whose handlers run on the main actor", .rule("4.7"))
  func asyncMain() async throws {
    let run = try await ProgramRun("AsyncMain")
    #expect(run.status == 0)
    #expect(Array(run.output.prefix(5)) == ["awaiting", "main 1", "main 3", "awaited 3", "threw"])
    #expect(run.errors.isEmpty)
  }

  #if DEBUG
    @Test(
      "In an async main, a blocking wait on the main actor is refused if the promise needs the main actor", .rule("7.2")
    )
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
