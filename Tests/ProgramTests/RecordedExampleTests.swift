import Foundation
import TestSupport
import Testing

/// Tests the option `--record` of the examples.
@Suite("Examples that record their run", .bounded)
struct RecordedExampleTests {
  private static let pageStart = "<!doctype html>"
  private static let traceStart = #"{"displayTimeUnit":"ns","traceEvents":["#

  @Test(
    "The link checker writes its run as a page or as a trace",
    arguments: [("run.html", pageStart), ("run.json", traceStart)])
  func linkChecker(_ name: String, _ start: String) async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: name)
    let run = try await ProgramRun("link-checker", "--demo", "--record", file.path)
    #expect(run.status == 1)
    #expect(run.output.first == "5 of 5 links checked, 1 broken")
    #expect(run.errors.isEmpty)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.hasPrefix(start))
    for label in ["GET /guide/old", "visit /guide", "summary"] { #expect(text.contains(label)) }
  }

  @Test(
    "The cache writes its run as a page or as a trace", arguments: [("run.html", pageStart), ("run.json", traceStart)])
  func httpCache(_ name: String, _ start: String) async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: name)
    let run = try await ProgramRun("http-cache", "--record", file.path)
    #expect(run.status == 0)
    #expect(run.output.last == "logins: 2")
    #expect(run.errors.isEmpty)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.hasPrefix(start))
    for label in ["read engine", "PUT notes again", "login 2"] { #expect(text.contains(label)) }
    // A label names a document, and contains no part of its text.
    #expect(!text.contains("third plan"))
  }

  @Test(
    "A file that cannot be written ends the program before its work",
    arguments: [("link-checker", ["--demo"]), ("http-cache", [])])
  func badPath(_ program: String, _ arguments: [String]) async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "none/run.html").path
    let run = try await ProgramRun(program, arguments + ["--record", path])
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.errors.count == 1)
    #expect(run.errors.first?.hasPrefix("\(program): cannot write the recording to '\(path)': ") == true)
  }

  @Test(
    "A record option without a file, or a file without the option, is refused with the usage",
    arguments: [("link-checker", ["--demo", "--record"]), ("http-cache", ["--record"]), ("http-cache", ["run.html"])])
  func missingFile(_ program: String, _ arguments: [String]) async throws {
    let run = try await ProgramRun(program, arguments)
    #expect(run.status == 2)
    #expect(run.errors.first?.contains("[--record FILE]") == true)
  }

  private func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder
  }
}
