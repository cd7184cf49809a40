import Foundation

/// Finds the files below a folder, one at a time. It lists a folder only when it reaches that folder.
///
/// It skips links, devices and the like, because they have no contents of their own.
actor FolderWalk {
  private let root: URL
  /// The paths that are still to be visited, relative to the root. The last one is visited next.
  private var rest: [String]

  /// Throws if the root is not a folder that can be read.
  init(root: URL) throws {
    self.root = root
    rest = try Self.names(in: root)
  }

  /// Returns the path of the next file, relative to the root, or `nil` after the last file. Also returns the path of a
  /// folder that cannot be read, so that the summary names it.
  func next() -> String? {
    while let path = rest.popLast() {
      let url = url(of: path)
      switch Self.type(of: url) {
      case .typeDirectory?:
        guard let names = try? Self.names(in: url) else { return path }
        rest += names.map { "\(path)/\($0)" }
      case .typeRegular?, nil:
        return path
      default:
        continue
      }
    }
    return nil
  }

  /// Returns the size of all files below the root in bytes. Files whose size cannot be found out do not count.
  nonisolated func countBytes() -> Int {
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: [.fileSizeKey])
    var bytes = 0
    for case let file as URL in files ?? .init() {
      let values = try? file.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
      if values?.isRegularFile == true { bytes += values?.fileSize ?? 0 }
    }
    return bytes
  }

  nonisolated func url(of path: String) -> URL { root.appendingPathComponent(path) }

  private static func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(by: >)
  }

  private static func type(of url: URL) -> FileAttributeType? {
    try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
  }
}
