/// A folder for one test. It is removed with its contents when it is deallocated.
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

  /// The names of all files in the folder, including hidden files.
  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() } }

  /// Waits until the folder contains no partial file. A cancelled download removes its partial file a moment after its
  /// promise is cancelled.
  func waitUntilNothingIsWritten() async throws {
    while try names.contains(where: { $0.hasSuffix(".part") }) { await Task.yield() }
  }
}
