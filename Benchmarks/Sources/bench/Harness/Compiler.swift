import Foundation

/// Compiles sources of clients as `swift build` does, against the modules that were built with this program.
enum Compiler {
  enum Optimization: String, Sendable {
    case debug = "-Onone"
    case release = "-O"
  }

  /// The flags with which the optimiser does not merge similar functions, so that each function counts in full.
  static let keepingFunctionsApart = ["-Xllvm", "-swiftmergefunc-threshold=1000000"]

  /// Compiles a file to an object file, passes the path of the object file to the closure, and removes both files
  /// afterwards.
  static func withObject<Result>(
    of source: String, _ optimization: Optimization, flags: [String] = [], _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "client.swift").path(percentEncoded: false)
    let object = folder.appending(path: "client.o").path(percentEncoded: false)
    try Data(source.utf8).write(to: URL(filePath: file))
    let command =
      [
        "\(Command.swift)c", "-swift-version", "6", "-parse-as-library", "-whole-module-optimization",
        optimization.rawValue,
      ]
      + flags + ["-module-name", "client", "-I", try modules(), "-I", headers, "-c", file, "-o", object]
    guard Command.output(of: command) != nil else {
      throw BenchError.wrongResult("this has failed: \(command.joined(separator: " "))")
    }
    return try body(object)
  }

  /// Returns the user time that it takes to compile a file, in nanoseconds.
  static func userNanoseconds(for source: String, _ optimization: Optimization) throws -> Double {
    let before = userNanosecondsOfChildren
    try withObject(of: source, optimization) { _ in }
    return userNanosecondsOfChildren - before
  }

  /// The user time of all processes that this process has started, directly or indirectly, and that have ended.
  private static var userNanosecondsOfChildren: Double {
    var usage = rusage()
    // The number is RUSAGE_CHILDREN, which is a number on some systems and a case of an enumeration on others.
    _ = unsafe getrusage(-1, &usage)
    return Double(usage.ru_utime.tv_sec) * 1e9 + Double(usage.ru_utime.tv_usec) * 1e3
  }

  /// The modules of the library, which `swift build` puts beside this program.
  private static func modules() throws -> String {
    let path = Command.folder.appending(path: "Modules").path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: path) else { throw BenchError.notBuilt(path) }
    return path
  }

  /// The C module that the modules of the library import.
  private static let headers = Options.rootPackage.appending(path: "Sources/CPromiseSystem/include")
    .path(percentEncoded: false)
}
