import Foundation
import PromiseCombinators
import PromiseProcesses
import PromiseRecording
import TestSupport
import Testing

// Contains the snippets of Docs/Recipes/RecordAHang.md, word for word.

/// Reports what hangs, each time the process receives a signal.
struct HangReport: Sendable {
  let folder: URL
  private let recorder = Recorder(capacity: 20_000)

  init(into folder: URL) { self.folder = folder }

  /// Call this at the start of the program, because only promises that are made later are seen.
  func write(on number: Int32) throws {
    Diagnostics.recordsPendingPromises = true
    recorder.start()
    let signals = try ProcessSignals(number)
    Task.detached {
      for await _ in signals { write() }
    }
  }

  private func write() {
    tell("\(Diagnostics.causes())")
    let recording = recorder.recording
    let page = folder.appending(path: "hang.html")
    let trace = folder.appending(path: "hang.json")
    do {
      try recording.page(title: "What hangs").write(to: page, atomically: true, encoding: .utf8)
      try recording.trace.write(to: trace, atomically: true, encoding: .utf8)
      tell("recorded in \(page.path) and \(trace.path)")
    } catch {
      tell("not recorded: \(error)")
    }
  }

  /// Writes to standard error, which is not buffered.
  private func tell(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

@Suite("The recipe for a program that hangs") struct RecordAHangTests {
  /// A test runs in a process of its own, because its standard error becomes a file.
  @Test("The causes of 10,000 pending promises arrive in a file, and a page and a trace beside it", .bounded)
  func report() async throws {
    await #expect(processExitsWith: .success) {
      let folder = FileManager.default.temporaryDirectory.appending(path: "hang-\(UUID())")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let errors = folder.appending(path: "errors.txt")
      try Data().write(to: errors)
      let file = try FileHandle(forWritingTo: errors)
      let standardError = dup(STDERR_FILENO)
      try #require(dup2(file.fileDescriptor, STDERR_FILENO) == STDERR_FILENO)

      try HangReport(into: folder).write(on: SIGUSR1)
      let refresh = Deferred<Int>(label: "refresh")
      let requests = (0..<10_000).map { number in refresh.promise.map { $0 + number } }
      kill(getpid(), SIGUSR1)
      var text = ""
      let isRecorded = await eventually {
        text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
        return text.contains("recorded in ")
      }
      // The expectations report there.
      dup2(standardError, STDERR_FILENO)
      let page = (try? String(contentsOf: folder.appending(path: "hang.html"), encoding: .utf8)) ?? ""
      let trace = (try? String(contentsOf: folder.appending(path: "hang.json"), encoding: .utf8)) ?? ""
      #expect(isRecorded)
      #expect(text.contains("\"refresh\""), "\(text)")
      #expect(text.contains("10001 promises"), "\(text)")
      #expect(page.contains("\"What hangs\""))
      #expect(page.contains("refresh"))
      #expect(trace.contains("refresh"))
      withExtendedLifetime(requests) {}
    }
  }

  /// The call of the recipe concerns the whole process, so it is only compiled.
  private func start() throws {
    try HangReport(into: FileManager.default.temporaryDirectory).write(on: SIGUSR1)
  }
}
