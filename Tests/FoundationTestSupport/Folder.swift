package import Foundation
import Testing

/// A folder for one test. It is removed with its contents when it is deallocated.
package final class Folder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("Promises-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  package func write(_ bytes: [UInt8], to name: String) throws -> URL {
    try Data(bytes).write(to: file(name))
    return file(name)
  }

  package func bytes(of name: String) throws -> [UInt8] { Array(try Data(contentsOf: file(name))) }

  /// The names of all files in the folder, including hidden files.
  package var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }

  /// Waits until the folder contains no partial file. A cancelled download removes its partial file a moment after its
  /// promise is cancelled.
  package func waitUntilNothingIsWritten() async throws {
    while try names.contains(where: { $0.hasSuffix(".part") }) { await Task.yield() }
  }

  /// Makes a folder with a named pipe.
  package static func withFifo() throws -> Folder {
    let folder = try Folder()
    try #require(unsafe mkfifo(folder.fifo, 0o600) == 0)
    return folder
  }

  package var fifo: String { file("fifo").path }
}
