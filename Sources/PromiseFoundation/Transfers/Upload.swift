import Foundation

/// The body of a request that is sent as an upload.
enum Upload: Sendable {
  case data(Data)
  #if canImport(ObjectiveC)
    case file(URL)
  #endif

  /// - Throws: `CocoaError`, if the file cannot be read: what a session says then differs, and not everywhere is it an error.
  init(contentsOf file: URL) throws {
    #if canImport(ObjectiveC)
      guard FileManager.default.isReadableFile(atPath: file.path) else {
        throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: file.path])
      }
      // A session may wait for what a folder contains until the request times out.
      guard try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true else {
        throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: file.path])
      }
      self = .file(file)
    #else
      // Not by the session (Swift 6.3.1): it reads ahead on another thread, and if the task has ended when something was read, cancelled
      // for instance, it traps.
      self = .data(try Data(contentsOf: file, options: .mappedIfSafe))
    #endif
  }
}
