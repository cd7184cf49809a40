import Foundation

/// What became of one file.
struct FileReport: Sendable {
  let path: String
  private(set) var size = 0
  private(set) var digest = Digest()
  private(set) var problem: String?

  /// Reads the file in pieces, so that its size does not matter, and asks before each whether to go on.
  init(path: String, contentsOf file: URL, while isWanted: () -> Bool) throws {
    self.path = path
    // The name counts too: to rename a file changes the digest of the folder.
    digest.add(path.utf8)
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    while isWanted(), let piece = try handle.read(upToCount: 64 * 1024), !piece.isEmpty {
      digest.add(piece)
      size += piece.count
    }
  }

  init(path: String, unreadable error: any Error) {
    self.path = path
    problem = error.localizedDescription
  }
}
