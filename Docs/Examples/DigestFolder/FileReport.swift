import Foundation

/// The size and the digest of one file, or the reason why it cannot be read.
struct FileReport: Sendable {
  let path: String
  private(set) var size = 0
  private(set) var digest = Digest()
  private(set) var problem: String?

  /// Reads the file in pieces, so that a large file needs no more memory than a small one. Calls `isWanted` before each
  /// piece, and stops when it returns `false`.
  init(path: String, contentsOf file: URL, while isWanted: () -> Bool) throws {
    self.path = path
    // The digest includes the path, so renaming a file changes the digest of the folder. A zero byte, which no path
    // contains, separates the path from the contents.
    digest.add(path.utf8)
    digest.add([0])
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
