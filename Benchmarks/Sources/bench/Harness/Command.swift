import Foundation

/// Runs other programs and locates the products of this package.
enum Command {
  /// Returns the output of a program, or `nil` if the program cannot be started or fails. Looks for the program as a
  /// shell does.
  static func output(of arguments: [String]) -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? text : nil
  }

  /// The command `swift` that builds the package. `make` passes it on, if the user names another one.
  static let swift = ProcessInfo.processInfo.environment["SWIFT"] ?? "swift"

  /// Returns the path of another executable of this package, which `swift build` puts beside this one.
  static func neighbour(_ name: String) throws -> String {
    let path = folder.appending(path: name).path(percentEncoded: false)
    guard FileManager.default.isExecutableFile(atPath: path) else { throw BenchError.notBuilt(path) }
    return path
  }

  /// The folder of this program, into which `swift build` puts all products.
  static var folder: URL {
    (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])).deletingLastPathComponent()
  }
}
