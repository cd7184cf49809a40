import Foundation
package import PromiseRecording

extension Recorder {
  /// Creates a recorder whose events have the time of a world. Handlers take no time there, so each event comes at
  /// least a microsecond after the one before it, in order to be visible.
  convenience init(inTimeOf scheduler: Scheduler) {
    let last = Locked(Duration.zero)
    self.init(capacity: 20_000, describesValues: true) {
      let now = scheduler.elapsed
      return last.withLock { last in
        last = max(now, last + .microseconds(1))
        return last
      }
    }
    noteStart()
  }
}

/// The recording of a world up to its first failure.
///
/// The end of the world comes later, and settles the pending promises. So does the release of the test's local
/// variables, if a wait throws. But a test may expect the error of a wait. Then the failure is a later one.
package struct FailedRecording {
  /// The recording up to the failure.
  package private(set) var recording: Recording?
  /// The recording up to the last error that a wait or a check has thrown, and the text of the error.
  private var ofWait: (error: String, recording: Recording)?

  /// Whether no failure was noted. Otherwise nothing more is noted.
  var isOpen: Bool { recording == nil }

  /// Keeps the recording up to now, because the test has failed.
  mutating func noteFailure(_ now: Recording) { recording = now }

  /// Keeps the recording up to now, in case the test fails with the error that is about to be thrown.
  mutating func noteThrowing(_ error: String, _ now: Recording) { ofWait = (error, now) }

  /// Keeps the recording up to the wait or check that has thrown the error with which the test fails. If there is none,
  /// it keeps the recording up to now.
  mutating func noteEnd(with error: String, _ now: Recording) {
    if let ofWait, ofWait.error == error { recording = ofWait.recording } else { recording = now }
  }
}

extension TestWorld {
  /// Notes a failure of the test, for its page.
  func noteFailure() { note(nil) { $0.noteFailure($2) } }

  /// Notes that a wait or a check throws an error, which the test may expect.
  func noteThrowing(_ error: any Error) { note(error) { $0.noteThrowing($1, $2) } }

  /// Notes that the test fails with an error.
  func noteEnd(with error: any Error) { note(error) { $0.noteEnd(with: $1, $2) } }

  private func note(
    _ error: (any Error)?, by change: (inout FailedRecording, _ error: String, _ now: Recording) -> Void
  ) {
    guard let recorder, failedRecording.withLock(\.isOpen) else { return }
    // Outside the lock, because a description is code of the test, and because the look at the recorder may release
    // promises of the test (rule 6.5).
    let text = error.map { "\($0)" } ?? ""
    let now = recorder.recording
    failedRecording.withLock { if $0.isOpen { change(&$0, text, now) } }
  }
}

extension ScheduleFailure {
  /// Writes the page of a recorded run into the folder of temporary files.
  ///
  /// - Returns: the path, or the reason why there is none, for the message.
  static func writePage(of recording: Recording, title: String) -> String {
    do { return try TemporaryPage.write(recording.page(title: title), in: "promise-schedules") } catch {
      return "none, because it could not be written: \(error.localizedDescription)"
    }
  }
}
