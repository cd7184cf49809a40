import TestSupport
import Testing

/// The examples do what their text says.
@Suite("Programs: examples", .bounded)
struct ExampleTests {
  @Test("rows L9 L10 J1: notes: six steps, each where it belongs, with progress")
  func notes() async throws {
    let run = try await ProgramRun("notes")
    #expect(run.status == 0)
    #expect(shown(run) == ["screen: Analytical engine", "screen: Bernoulli numbers"])
    #expect(progress(run).last == 100)
    #expect(progress(run) == progress(run).sorted())
    #expect(run.errors.isEmpty)
  }

  @Test(
    "rows L9 I1: notes: an error of any step comes to the end of the chain",
    arguments: [
      ("--wrong-password", "screen: refused with status 403: wrong password"),
      ("--no-disk", "screen: that did not work: CocoaError"),
    ])
  func notesFailing(_ option: String, _ line: String) async throws {
    let run = try await ProgramRun("notes", option)
    #expect(run.status == 1)
    #expect(shown(run) == [line])
  }

  @Test("rows L9 F2, rule 4.6: notes: who leaves stops the request on its way")
  func notesLeaving() async throws {
    let run = try await ProgramRun("notes", "--leave")
    #expect(run.status == 0)
    #expect(shown(run) == ["screen: closed", "server: the client has gone"])
  }

  @Test("row L15, rule 4.7: tokens: one request for many Tasks, each of which may give up")
  func tokens() async throws {
    let run = try await ProgramRun("tokens")
    #expect(run.status == 0)
    let late = "too late: the service was told that nobody waits any more: true"
    #expect(run.output == ["the first Task: CancellationError()", #"the others: ["t-1"] by 1 request"#, late])
    #expect(run.errors.isEmpty)
  }

  private func shown(_ run: ProgramRun) -> [String] { run.output.filter { !$0.hasSuffix(" %") } }

  private func progress(_ run: ProgramRun) -> [Int] {
    run.output.filter { $0.hasSuffix(" %") }.compactMap { line in
      line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
  }
}
