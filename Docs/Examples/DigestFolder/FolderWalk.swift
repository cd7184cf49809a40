import Foundation

/// Finds the files below a folder, one at a time, so that there is never a list of all of them.
///
/// Links, devices and the like are passed over: they have no contents of their own.
actor FolderWalk {
  private let root: URL
  /// What is still to be looked at, relative to the root; the next is the last.
  private var rest: [String]

  /// Throws if the root is not a folder that can be read.
  init(root: URL) throws {
    self.root = root
    rest = try Self.names(in: root)
  }

  /// The path of a file, relative to the root; of a folder, if it cannot be read. `nil` after the last.
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

  /// How many bytes the files below the root have together, as far as it can be found out.
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
