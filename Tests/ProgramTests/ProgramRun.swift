import Foundation
import PromiseContexts
import Testing

/// A run of a program of this package in its own process, which has ended.
struct ProgramRun {
  /// The lines of its standard output.
  let output: [String]
  /// The lines of its standard error.
  let errors: [String]

  /// Runs a program that must succeed and must write nothing to standard error. Returns the lines of its output.
  static func output(
    of name: String, _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let run = try await ProgramRun(name, arguments, sourceLocation: sourceLocation)
    #expect(run.errors.isEmpty, sourceLocation: sourceLocation)
    return run.output
  }

  /// Runs a program that must end with this status.
  ///
  /// - Parameter name: the name of a program of this package, or the path of another program.
  init(
    _ name: String, _ arguments: [String] = [], status: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let process = Process()
    process.executableURL = name.hasPrefix("/") ? URL(filePath: name) : Self.products.appending(path: name)
    process.arguments = arguments
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    let ended = Deferred<Void>()
    process.terminationHandler = { _ in ended.fulfill() }
    try process.run()
    // A program that hangs is killed. Only a hang reaches the limit (see `HangLimit`).
    let id = process.processIdentifier
    let watchdog = DispatchTimers.dispatch.schedule(after: .seconds(1_800)) { kill(id, SIGKILL) }
    try await ended.promise.value
    watchdog.cancel()
    // The process has already ended. On Linux, a `Process` retains itself until this call.
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == status, sourceLocation: sourceLocation)
    self.output = Self.lines(of: output)
    self.errors = Self.lines(of: errors)
  }

  /// Returns the lines in the pipe of a program that has ended. The output of each program fits into its pipe.
  private static func lines(of pipe: Pipe) -> [String] {
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The folder of the built products, which contains the test bundle.
  static var products: URL {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
      return bundle.bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.bundleURL
    #endif
  }
}
