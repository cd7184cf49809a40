import Foundation

/// The body of a request that is sent as an upload.
enum Upload: Sendable {
  case data(Data)
  #if canImport(ObjectiveC)
    case file(URL)
  #endif

  /// Creates the body of an upload from a file.
  ///
  /// - Throws: `CocoaError` if the file cannot be read. Sessions treat such a file differently on different systems,
  ///   and not all of them report an error.
  init(contentsOf file: URL) throws {
    #if canImport(ObjectiveC)
      guard FileManager.default.isReadableFile(atPath: file.path) else {
        throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: file.path])
      }
      // If the file is a folder, a session may wait for its content until the request times out.
      guard try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true else {
        throw CocoaError(.fileReadUnknown, userInfo: [NSFilePathErrorKey: file.path])
      }
      self = .file(file)
    #else
      // The session does not read the file itself. It would read ahead on another thread (Swift 6.3.1), and trap if the
      // task has ended before a read, for example by a cancellation.
      self = .data(try Data(contentsOf: file, options: .mappedIfSafe))
    #endif
  }
}
