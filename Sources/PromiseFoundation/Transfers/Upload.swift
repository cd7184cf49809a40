import Foundation

/// The body of a request that is sent as an upload.
enum Upload: Sendable {
  case data(Data)
  case file(URL)

  /// - Throws: `CocoaError`, if the file cannot be read: what a session says then differs, and not everywhere is it an error.
  init(contentsOf file: URL) throws {
    guard FileManager.default.isReadableFile(atPath: file.path) else {
      throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: file.path])
    }
    self = .file(file)
  }
}
