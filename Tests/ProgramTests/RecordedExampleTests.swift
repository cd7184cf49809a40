import Foundation
import LoopbackServer
import TestSupport
import Testing

/// Tests the option `--record` of the examples.
@Suite("Examples that record their run", .bounded) struct RecordedExampleTests {
  @Test(
    "An example writes its run as a page or as a trace",
    arguments: [("run.html", "<!doctype html>"), ("run.json", #"{"displayTimeUnit":"ns","traceEvents":["#)])
  func recorded(_ name: String, _ start: String) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: name)
    let checker = try await ProgramRun("link-checker", ["--demo", "--record", file.path], status: 1)
    #expect(checker.output.first == "5 of 5 links checked, 1 broken")
    #expect(checker.errors.isEmpty)
    let ofChecker = try String(contentsOf: file, encoding: .utf8)
    #expect(ofChecker.hasPrefix(start))
    for label in ["GET /guide/old", "visit /guide", "summary"] { #expect(ofChecker.contains(label)) }

    #expect(try await ProgramRun.output(of: "http-cache", "--record", file.path).last == "logins: 2")
    let ofCache = try String(contentsOf: file, encoding: .utf8)
    #expect(ofCache.hasPrefix(start))
    for label in ["read engine", "login 2"] { #expect(ofCache.contains(label)) }
    // On a busy machine, a write may begin after another one was refused, and then has the new token at once.
    #expect(["engine", "numbers", "notes"].contains { ofCache.contains("PUT \($0) again") })
    // A label names a document, and contains no part of its text.
    #expect(!ofCache.contains("third plan"))
  }

  @Test(
    "A file that cannot be written ends the program before its work",
    arguments: [("link-checker", ["--demo"]), ("http-cache", [])])
  func badPath(_ program: String, _ arguments: [String]) async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "none/run.html").path
    let run = try await ProgramRun(program, arguments + ["--record", path], status: 2)
    #expect(run.output.isEmpty)
    #expect(run.errors.count == 1)
    #expect(run.errors.first?.hasPrefix("\(program): cannot write the recording to '\(path)': ") == true)
  }

  @Test("The link checker prints what it has found even if it cannot write the recording")
  func lostFolder() async throws {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    // The program has made its file before it sends the request.
    let server = try LoopbackServer { _ in
      try? FileManager.default.removeItem(at: folder)
      return .notFound
    }
    let path = folder.appending(path: "run.html").path
    let run = try await ProgramRun("link-checker", [server.address, "--record", path], status: 2)
    #expect(run.output == ["1 of 1 links checked, 1 broken", "  \(server.address)/: status 404"])
    #expect(run.errors.first?.hasPrefix("link-checker: cannot write the recording to '\(path)': ") == true)
  }

  @Test(
    "A record option without a file, or a file without the option, is refused with the usage",
    arguments: [("link-checker", ["--demo", "--record"]), ("http-cache", ["--record"]), ("http-cache", ["run.html"])])
  func missingFile(_ program: String, _ arguments: [String]) async throws {
    #expect(try await ProgramRun(program, arguments, status: 2).errors.first?.contains("[--record FILE]") == true)
  }
}
