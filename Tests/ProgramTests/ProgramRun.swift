import Foundation
import PromiseContexts

/// A program of this package that was run as a process of its own, and has ended.
struct ProgramRun {
  /// What it exited with; `nil`: it was killed.
  let status: Int32?
  /// The lines of its standard output.
  let output: [String]
  /// The lines of its standard error.
  let errors: [String]

  init(_ name: String, _ arguments: String...) async throws { try await self.init(name, arguments) }

  init(_ name: String, _ arguments: [String]) async throws {
    let process = Process()
    process.executableURL = Self.products.appending(path: name)
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    let ended = Deferred<Void>()
    process.terminationHandler = { _ in ended.fulfill() }
    try process.run()
    // A hang shows as a killed program. Generous, as the machine may be busy: it is no measure of anything.
    let id = process.processIdentifier
    let watchdog = DispatchTimers.dispatch.schedule(after: .seconds(600)) { kill(id, SIGKILL) }
    try await ended.promise.value
    watchdog.cancel()
    // Does not wait any more. On Linux a `Process` keeps itself until this is called.
    process.waitUntilExit()
    status = process.terminationReason == .exit ? process.terminationStatus : nil
    self.output = Self.lines(of: output)
    self.errors = Self.lines(of: errors)
  }

  /// What the programs write fits into a pipe, so that it can wait there.
  private static func lines(of pipe: Pipe) -> [String] {
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The folder of what was built: that of the test bundle.
  static var products: URL {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
      return bundle.bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.bundleURL
    #endif
  }
}
