import Foundation
public import PromiseRecording

extension Recorder {
  /// Writes a page to a new file in the folder of temporary files, and its path to standard error. It is for a test
  /// that is recorded:
  ///
  /// ```swift
  /// let text = try recorder.record {
  ///   try server.page("weather").waitForValue(within: .seconds(5))
  /// } writingTo: { page in
  ///   try Recorder.writeTemporaryPage(page)
  /// }
  /// ```
  ///
  /// - Throws: the error of Foundation, if the file cannot be written.
  public static func writeTemporaryPage(_ page: String) throws {
    let path = try TemporaryPage.write(page, in: "promise-recordings")
    try FileHandle.standardError.write(contentsOf: Data("Promises: the recording is in \(path)\n".utf8))
  }
}

enum TemporaryPage {
  /// Writes a page to a new file.
  ///
  /// - Parameter folder: the name of a folder in that of temporary files.
  /// - Returns: the path of the file.
  static func write(_ page: String, in folder: String) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: folder)
    let file = folder.appending(path: "\(UUID()).html")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(page.utf8).write(to: file)
    return file.path(percentEncoded: false)
  }
}
