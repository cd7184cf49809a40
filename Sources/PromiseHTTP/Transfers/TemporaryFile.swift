import Foundation

/// A file that only its owner may read, and that is removed when this object is deallocated.
final class TemporaryFile: Sendable {
  let url: URL

  /// Creates a file, and closes it when the closure has written to it.
  init(_ write: (OpenFile) throws -> Void) throws {
    url = Self.newURL
    let file = try url.createPrivately()
    defer { try? file.close() }
    try write(file)
  }

  /// Creates a file with the chunks of an asynchronous sequence.
  init<Chunks: AsyncSequence>(of chunks: Chunks) async throws where Chunks.Element == Data {
    url = Self.newURL
    let file = try url.createPrivately()
    defer { try? file.close() }
    for try await chunk in chunks { try file.write(contentsOf: chunk) }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  private static var newURL: URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
  }
}
