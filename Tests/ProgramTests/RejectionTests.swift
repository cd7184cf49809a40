import TestSupport
import Testing

/// Each test runs a program, because standard error belongs to a process.
@Suite("Programs: reports on standard error", .bounded) struct RejectionTests {
  /// The messages about unhandled rejections from three places. At one of the places, several promises are made.
  private static let lines = [(12, "OutOfPaper()"), (20, neverSettled), (30, "OutOfPaper()")].map { line, error in
    """
    Promises: unhandled rejection: \(error), of the promise made at Office/Printer.swift:\(line). Handle it with \
    `catch` or `recover`, or turn this message off: `Diagnostics.printsUnhandledRejections = false`.
    """
  }
  private static let neverSettled =
    "the promise made at Office/Printer.swift:20 was never settled: its Deferred was deallocated"

  @Test("A debug build prints each unhandled rejection once for each place that made the promise")
  func printed() async throws {
    let run = try await ProgramRun("Rejections")
    #expect(run.output.isEmpty)
    #if DEBUG
      #expect(run.errors == Self.lines)
    #else
      #expect(run.errors.isEmpty)
    #endif
  }

  @Test("A program can turn printing on and off", arguments: [true, false])
  func turned(isOn: Bool) async throws {
    #expect(try await ProgramRun("Rejections", [isOn ? "on" : "off"]).errors == (isOn ? Self.lines : []))
  }

  @Test("Hooks, scopes and test worlds replace printing", arguments: ["hook": 5, "scope": 5, "world": 0, "handled": 1])
  func replaced(_ argument: String, lines: Int) async throws {
    #expect(try await ProgramRun.output(of: "Rejections", argument).count == lines)
  }

  @Test("A debug build prints once which work a cancelled promise has left, unless the program turns that off")
  func work() async throws {
    let run = try await ProgramRun("Rejections", ["work"])
    #expect(run.output == ["stopped"])
    #if DEBUG
      #expect(
        run.errors == [
          """
          Promises: Office/Printer.swift:40: the work goes on without a consumer, because the promise made at \
          Office/Clerk.swift:7 was cancelled without `upstream: true`. With `upstream: true`, the call stops it. If the \
          work is kept for later clients, hand it out by `shielded()`, or turn this message off: \
          `Diagnostics.printsUnstoppedWork = false`.
          """
        ])
    #else
      #expect(run.errors.isEmpty)
    #endif
    #expect(try await ProgramRun("Rejections", ["quiet work"]).errors.isEmpty)
  }
}
