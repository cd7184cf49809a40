import Foundation

// S1: what a program grows by that uses promises. Both are what `swift build -c release` makes, with Swift's own libraries
// dynamic and ours static, and then stripped. On Linux that is with `--gc-sections`, which finds little: the metadata of a
// type is kept, and it keeps the methods.

extension Gauge {
  static let s1 = Gauge(id: "S1", title: "bytes that a promise and map add to a stripped executable") {
    guard let promise = try strippedSize(of: "size-promise"), let gcd = try strippedSize(of: "size-gcd") else {
      return []
    }
    return [Figure(name: "S1 bytes", value: promise - gcd, goal: 480_000)]
  }

  /// `nil`: there is no `strip` here.
  private static func strippedSize(of name: String) throws -> Int? {
    let copy = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID())")
    defer { try? FileManager.default.removeItem(at: copy) }
    guard Command.output(of: ["strip", "-o", copy.path(), try Command.neighbour(name)]) != nil else { return nil }
    return try copy.resourceValues(forKeys: [.fileSizeKey]).fileSize
  }
}
