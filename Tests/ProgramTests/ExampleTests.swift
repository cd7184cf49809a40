import Foundation
import PromiseFoundation
import TestSupport
import Testing

/// Checks that the examples do what their text says.
@Suite("Programs: examples", .bounded)
struct ExampleTests {
  @Test("The notes example shows its notes, and its progress rises to 100 %")
  func notes() async throws {
    let run = try await ProgramRun("notes")
    #expect(run.status == 0)
    #expect(shown(run) == ["screen: Analytical engine", "screen: Bernoulli numbers"])
    #expect(progress(run).last == 100)
    #expect(progress(run) == progress(run).sorted())
    #expect(run.errors.isEmpty)
  }

  @Test(
    "An error of any step of the notes example reaches the end of the chain",
    arguments: [
      ("--wrong-password", "screen: refused with status 403: wrong password"),
      ("--no-disk", "screen: that did not work: CocoaError"),
    ])
  func notesFailing(_ option: String, _ line: String) async throws {
    let run = try await ProgramRun("notes", option)
    #expect(run.status == 1)
    #expect(shown(run) == [line])
  }

  @Test("A user who leaves the notes example stops the pending request", .rule("4.6"))
  func notesLeaving() async throws {
    let run = try await ProgramRun("notes", "--leave")
    #expect(run.status == 0)
    #expect(shown(run) == ["screen: closed", "server: the client has gone"])
  }

  @Test("The tokens example makes one request for many Tasks, each of which may give up", .rule("4.7"))
  func tokens() async throws {
    let run = try await ProgramRun("tokens")
    #expect(run.status == 0)
    let late = "too late: the service was told that nobody waits any more: true"
    #expect(run.output == ["the first Task: CancellationError()", #"the others: ["t-1"] by 1 request"#, late])
    #expect(run.errors.isEmpty)
  }

  @Test("digest-folder prints a summary of a folder")
  func digestFolder() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try "text".write(to: folder.appending(path: "file"), atomically: true, encoding: .utf8)
    let run = try await ProgramRun("digest-folder", folder.path)
    #expect(run.status == 0)
    #expect(run.output == ["1 files, 4 bytes", "digest 6eced217b79788a4", "largest:", "  file, 4 bytes"])
    #expect(run.errors.isEmpty)
  }

  #if os(Linux)
    @Test("Ctrl-C stops digest-folder, which then prints its partial result")
    func digestFolderStopped() async throws {
      let folder = try folder()
      defer { try? FileManager.default.removeItem(at: folder) }
      // A sparse file takes no space, and is larger than the program can read.
      let endless = folder.appending(path: "endless")
      try Data().write(to: endless)
      let file = try FileHandle(forWritingTo: endless)
      try file.truncate(atOffset: 1 << 40)
      try file.close()

      let stopped = try await InterruptedRun("digest-folder", folder.path)
      #expect(stopped.result.status == 130)
      #expect(stopped.result.text == "stopped; until then:\n0 files, 0 bytes\ndigest 0000000000000000")
      #expect(stopped.result.errorText.isEmpty)
    }
  #endif

  private func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }

  private func shown(_ run: ProgramRun) -> [String] { run.output.filter { !$0.hasSuffix(" %") } }

  private func progress(_ run: ProgramRun) -> [Int] {
    run.output.filter { $0.hasSuffix(" %") }.compactMap { line in
      line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
  }
}
