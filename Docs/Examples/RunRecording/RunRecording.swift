import Foundation
import PromiseRecording

/// Records the promises of an example, for the option `--record FILE`.
public struct RunRecording: Sendable {
  private let recorder = Recorder()
  private let file: URL

  /// Begins to record. Throws now, and not at the end of the run, if the file cannot be written.
  public init(to path: String) throws {
    file = URL(filePath: path)
    try write("")
    recorder.start()
  }

  /// Writes the file. If its name ends in `.html`, it is a page for a browser. Otherwise it is a trace for Perfetto.
  public func end(title: String) throws {
    let recording = recorder.stop()
    try write(file.pathExtension == "html" ? recording.page(title: title) : recording.trace)
  }

  private func write(_ text: String) throws {
    do {
      try Data(text.utf8).write(to: file)
    } catch {
      // The error of the system says more than the error that Foundation makes of it.
      let reason = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error ?? error
      throw RecordingError(path: file.path(percentEncoded: false), reason: reason.localizedDescription)
    }
  }
}

/// The file of a recording cannot be written.
public struct RecordingError: Error, CustomStringConvertible {
  public let path: String
  public let reason: String

  public var description: String { "cannot write the recording to '\(path)': \(reason)" }
}
