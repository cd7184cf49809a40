import Foundation

/// A folder for one test, removed with all that is in it.
final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("Promises-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  func write(_ bytes: [UInt8], to name: String) throws -> URL {
    try Data(bytes).write(to: file(name))
    return file(name)
  }

  func bytes(of name: String) throws -> [UInt8] { Array(try Data(contentsOf: file(name))) }

  /// Of everything that is in it, hidden files too.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }

  /// What was to be downloaded goes a moment after its promise was cancelled.
  func waitUntilNothingIsWritten() async throws {
    while try names.contains(where: { $0.hasSuffix(".part") }) { await Task.yield() }
  }
}
