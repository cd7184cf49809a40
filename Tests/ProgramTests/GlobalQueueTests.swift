import TestSupport
import Testing

/// Each test runs a program, because the notice is printed once in a process.
@Suite("Programs: the notice about global queues", .bounded) struct GlobalQueueTests {
  @Test("A debug build prints once that a global queue ignores barriers, with its name and the remedy", .rule("2.7"))
  func said() async throws {
    let run = try await ProgramRun("GlobalQueue", ["global"])
    #expect(run.output == ["ran"])
    #if DEBUG
      #expect(run.errors.count == 1 && run.errors.first?.contains(#""com.apple.root.utility-qos""#) == true)
      #expect(run.errors.first?.contains(".global(qos:)") == true)
    #else
      #expect(run.errors.isEmpty)
    #endif
  }

  @Test("The library prints no notice for other queues, or for contexts whose handlers may overlap", .rule("2.7"))
  func notSaid() async throws { #expect(try await ProgramRun.output(of: "GlobalQueue", "own") == ["ran"]) }
}
