import Foundation

extension URL {
  /// Moves this file to where another is, or may be. The other is there until this one is.
  ///
  /// Not by `replaceItemAt`: on Linux (Swift 6.3.1) that fails where there is a file.
  ///
  /// - Throws: `CocoaError`.
  func replace(_ other: URL) throws {
    let staged = other.partBeside
    try FileManager.default.moveItem(at: self, to: staged)
    // Safe: both texts are read in the call.
    guard unsafe rename(staged.path, other.path) != 0 else { return }
    let cause = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    try? FileManager.default.removeItem(at: staged)
    throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: other.path, NSUnderlyingErrorKey: cause])
  }

  /// A file that is to become this one. On the same volume, where a file is renamed in one step.
  var partBeside: URL { deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString).part") }
}
