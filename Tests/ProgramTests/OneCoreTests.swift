#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// Each test runs a program whose threads share one core.
  @Suite(
    "Programs: one core", .bounded,
    .enabled(if: FileManager.default.isExecutableFile(atPath: ProgramRun.taskset), "there is no taskset here"))
  struct OneCoreTests {
    @Test("Handlers run on all contexts except the main queue while the main thread is blocked", .rule("2.1"))
    func blocked() async throws {
      let output = try await ProgramRun.outputOnOneCore(of: "BlockedMain")
      let places = ["pool", "queue", "concurrent queue", ".concurrent", ".global", "actor 1", "task", "second timer"]
      #expect(output == ["timer"] + places)
    }

    @Test("The pool replaces blocked handlers", arguments: ["descriptors", "late-descriptors"])
    func blockedPool(_ mode: String) async throws {
      #expect(try await ProgramRun.outputOnOneCore(of: "BlockedPool", mode) == ["ran"])
    }

    @Test("An async main awaits handlers on the main actor", .rule("4.7"))
    func asyncMain() async throws {
      let output = try await ProgramRun.outputOnOneCore(of: "AsyncMain")
      #expect(output.prefix(5) == ["awaiting", "main 1", "main 3", "awaited 3", "threw"])
    }
  }

  extension ProgramRun {
    fileprivate static let taskset = "/usr/bin/taskset"

    /// Runs a program on one of the cores that this process may use. It must succeed, and must write nothing to
    /// standard error. Returns the lines of its output.
    fileprivate static func outputOnOneCore(
      of name: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") })
      let core = try #require(line.split { !$0.isNumber }.first)
      let program = products.appending(path: name).path
      let run = try await ProgramRun(
        taskset, ["--cpu-list", String(core), program] + arguments, sourceLocation: sourceLocation)
      #expect(run.errors.isEmpty, sourceLocation: sourceLocation)
      return run.output
    }
  }
#endif
