import TestSupport
import Testing

/// Each kind of program has its own process, because the activity of the main thread decides whether the main queue is
/// served.
@Suite("Programs: activity of the main thread", .bounded) struct MainThreadTests {
  @Test("Handlers run on all contexts except the main queue while the main thread is blocked", .rule("2.1"))
  func blocked() async throws {
    let output = try await ProgramRun.output(of: "BlockedMain")
    let places = ["pool", "queue", "concurrent queue", ".concurrent", ".global", "actor 1", "task", "second timer"]
    #expect(output == ["timer"] + places)
  }

  @Test("Handlers on .main run on the main queue in dispatchMain")
  func dispatchMain() async throws {
    #expect(try await ProgramRun.output(of: "DispatchMain") == ["dispatchMain", "main 1", "main 4"])
  }

  @Test("Handlers on .main run on the main thread in RunLoop.main.run")
  func runLoop() async throws {
    #expect(try await ProgramRun.output(of: "RunLoopMain") == ["RunLoop.main.run", "main 1", "main 3"])
  }

  @Test("A cell and a form that are reused while handlers are queued on .main show nothing old", .rule("2.5"))
  func reused() async throws {
    let output = try await ProgramRun.output(of: "ReusedCell")
    #expect(output == ["cell: 100 new, 0 stale", "form: 100 new, 0 stale"])
  }

  #if DEBUG
    @Test("A wait on the main thread runs its run loop, and is refused in a block of the main queue", .rule("7.2"))
    func waiting() async throws {
      let output = try await ProgramRun.output(of: "WaitingMain")
      let waits = [
        "chain over main: 3", "timer of the run loop: fired", "rejected: CancellationError()", "broken: true",
      ]
      let nested = ["nested: pool", "nested: refused: the main queue"]
      let foundation = ["contexts of Foundation: 3", "inside: refused", "inside: refused", "hook: 1"]
      #expect(output == waits + ["timed out"] + nested + foundation + ["later: refused: the queue \"occupied\""])
    }
  #endif

  @Test("An async main awaits handlers on the main actor, and refuses blocking waits for them", .rule("4.7", "7.2"))
  func asyncMain() async throws {
    let output = try await ProgramRun.output(of: "AsyncMain")
    #expect(Array(output.prefix(5)) == ["awaiting", "main 1", "main 3", "awaited 3", "threw"])
    // Only a debug build refuses the waits.
    #if DEBUG
      let refused = ["the main actor", "a chain", "a handler that returns such a promise"].map {
        "wait for \($0): refused: the main queue"
      }
      #expect(
        Array(output.dropFirst(5)) == ["wait for the pool: 1"] + refused + [
          "wait in a handler: refused: the main queue"
        ])
    #endif
  }
}
