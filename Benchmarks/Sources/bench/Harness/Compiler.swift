import Foundation

/// Compiles sources of clients, as `swift build` compiles them, against the modules that were built with this program.
enum Compiler {
  enum Optimization: String, Sendable {
    case debug = "-Onone"
    case release = "-O"
  }

  /// With this flag the optimiser does not merge functions that are nearly the same, so that each counts as if it were alone.
  static let keepingFunctionsApart = ["-Xllvm", "-swiftmergefunc-threshold=1000000"]

  /// Compiles a file to an object file, passes the path of the object file to the closure, and removes both files afterwards.
  static func withObject<Result>(
    of source: String, _ optimization: Optimization, flags: [String] = [], _ body: (String) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, object) = (folder.appending(path: "client.swift"), folder.appending(path: "client.o").path())
    try Data(source.utf8).write(to: file)
    let command =
      ["swiftc", "-swift-version", "6", "-parse-as-library", "-whole-module-optimization", optimization.rawValue]
      + flags + ["-module-name", "client", "-I", try modules(), "-I", headers, "-c", file.path(), "-o", object]
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

  /// Of all processes that this one has started, and of those that they have started, as far as they have ended.
  private static var userNanosecondsOfChildren: Double {
    var usage = rusage()
    // RUSAGE_CHILDREN, which is a number on some systems and a case of an enumeration on others.
    _ = unsafe getrusage(-1, &usage)
    return Double(usage.ru_utime.tv_sec) * 1e9 + Double(usage.ru_utime.tv_usec) * 1e3
  }

  /// The modules of the library, which `swift build` puts beside this program.
  private static func modules() throws -> String {
    let path = Command.folder.appending(path: "Modules").path()
    guard FileManager.default.fileExists(atPath: path) else { throw BenchError.notBuilt(path) }
    return path
  }

  /// The C module that the modules of the library import.
  private static let headers = Options.rootPackage.appending(path: "Sources/CPromiseSystem/include").path()
}
