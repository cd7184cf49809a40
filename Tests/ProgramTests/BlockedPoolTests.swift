import TestSupport
import Testing

/// Each test runs a program. One program uses up its file descriptors, and the other reads a notice that the pool
/// writes once in a process.
@Suite("Programs: handlers that block the pool", .bounded) struct BlockedPoolTests {
  @Test("The pool replaces blocked handlers without file descriptors", arguments: ["descriptors", "late-descriptors"])
  func withoutDescriptors(_ mode: String) async throws {
    #expect(try await ProgramRun.output(of: "BlockedPool", mode) == ["ran"])
  }

  @Test("The pool says on standard error that blocked handlers occupy all its threads")
  func atLimit() async throws {
    let run = try await ProgramRun("BlockedPool", ["limit"])
    let notice = run.output.first ?? ""
    #expect(notice.contains("192"), "\(run.output)")
    #expect(notice.contains("Docs/Guides/Contexts.md"), "\(run.output)")
    #expect(run.output.dropFirst() == ["ran"])
  }
}
