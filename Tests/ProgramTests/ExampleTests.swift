import Foundation
import PromiseProcesses
import TestSupport
import Testing

/// Checks that the examples do what their text says.
@Suite("Programs: examples", .bounded) struct ExampleTests {
  @Test("The notes example shows its notes, and its progress rises to 100 %")
  func notes() async throws {
    let output = try await ProgramRun.output(of: "notes")
    #expect(shown(output) == ["screen: Analytical engine", "screen: Bernoulli numbers"])
    let progress = output.filter { $0.hasSuffix(" %") }.compactMap { Int($0.split(separator: " ")[1]) }
    #expect(progress.last == 100)
    #expect(progress == progress.sorted())
  }

  @Test(
    "An error of any step of the notes example reaches the end of the chain",
    arguments: [
      ("--wrong-password", "screen: refused with status 403: wrong password"),
      ("--no-disk", "screen: that did not work: CocoaError"),
    ])
  func notesFailing(_ option: String, _ line: String) async throws {
    #expect(try await shown(ProgramRun("notes", [option], status: 1).output) == [line])
  }

  @Test("A user who leaves the notes example stops the pending request", .rule("4.6"))
  func notesLeaving() async throws {
    let run = try await ProgramRun("notes", ["--leave"])
    #expect(shown(run.output) == ["screen: closed", "server: the client has gone"])
  }

  @Test("The tokens example makes one request for many Tasks, each of which may give up", .rule("4.7"))
  func tokens() async throws {
    let output = try await ProgramRun.output(of: "tokens")
    let late = "too late: the service was told that nobody waits any more: true"
    #expect(output == ["the first Task: CancellationError()", #"the others: ["t-1"] by 1 request"#, late])
  }

  @Test("digest-folder prints a summary of a folder")
  func digestFolder() async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try "text".write(to: folder.appending(path: "file"), atomically: true, encoding: .utf8)
    let output = try await ProgramRun.output(of: "digest-folder", folder.path)
    #expect(output == ["1 files, 4 bytes", "digest 08f6445ba838941a", "largest:", "  file, 4 bytes"])
  }

  @Test("resumable-upload stops halfway, and the next run sends the rest")
  func resumableUpload() async throws {
    let output = try await ProgramRun.output(of: "resumable-upload")
    let address = "uploaded: https://example.com/upload-1"
    #expect(output == ["stopped: true", "half of it is left: true", address, "the state is removed: true"])
  }

  @Test("installer installs a tool", arguments: [true, false])
  func installer(works: Bool) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try await ProgramRun("installer", [folder.path] + (works ? [] : ["--broken-tool"]), status: works ? 0 : 1)
    #expect(run.output.first == (works ? "installed" : "failed: \(folder.path)/tool exited with status 1"))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files == (works ? ["manual", "tool"] : []))
  }

  @Test("installer leaves the other files and folders of its folder alone", arguments: [true, false])
  func installerBesideOthers(works: Bool) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let other = folder.appending(path: "staging")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
    try "text".write(to: other.appending(path: "file"), atomically: true, encoding: .utf8)
    _ = try await ProgramRun("installer", [folder.path] + (works ? [] : ["--broken-tool"]), status: works ? 0 : 1)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files == (works ? ["manual", "staging", "tool"] : ["staging"]))
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["file"])
  }

  @Test("installer reports a folder that it cannot make")
  func installerWithoutFolder() async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "file")
    try Data().write(to: file)
    let run = try await ProgramRun("installer", ["\(file.path)/below"], status: 1)
    #expect(run.output.first?.hasPrefix("failed: ") == true)
    #expect(run.output.last == "left in the folder: []")
    #expect(run.errors.isEmpty)
  }

  #if os(Linux)
    @Test("Ctrl-C stops digest-folder, which then prints its partial result")
    func digestFolderStopped() async throws {
      let folder = try makeFolder()
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

  #if os(Linux)
    @Test(
      "The notes example leaves no file behind",
      arguments: [([], 0), (["--leave"], 0), (["--wrong-password"], 1)] as [([String], Int32)])
    func notesFolder(_ options: [String], _ status: Int32) async throws {
      let folder = try makeFolder()
      defer { try? FileManager.default.removeItem(at: folder) }
      let notes = ProgramRun.products.appending(path: "notes").path
      _ = try await ProgramRun("/usr/bin/env", ["TMPDIR=\(folder.path)", notes] + options, status: status)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  #endif

  /// Returns the lines without those of the progress.
  private func shown(_ output: [String]) -> [String] { output.filter { !$0.hasSuffix(" %") } }
}

/// Makes an empty folder for one test.
func makeFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  return folder
}
