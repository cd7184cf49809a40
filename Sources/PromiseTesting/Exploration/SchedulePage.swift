import Foundation
import PromiseRecording

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
struct FailedRecording {
  /// The recording up to the failure.
  private(set) var recording: Recording?
  /// The recording up to the last error that a wait has thrown, and the text of the error.
  private var ofWait: (error: String, recording: Recording)?

  /// Keeps the recording up to now, unless an earlier failure was noted.
  mutating func noteFailure(in recorder: Recorder) { recording = recording ?? recorder.recording }

  /// Keeps the recording up to now, in case the test fails with the error that a wait is about to throw.
  mutating func noteThrowing(_ error: String, in recorder: Recorder) {
    if recording == nil { ofWait = (error, recorder.recording) }
  }

  /// Keeps the recording up to the wait that has thrown the error with which the test fails. If there is none, it keeps
  /// the recording up to now.
  mutating func noteEnd(with error: String, in recorder: Recorder) {
    if let ofWait, ofWait.error == error { recording = recording ?? ofWait.recording }
    noteFailure(in: recorder)
  }
}

extension TestWorld {
  /// Notes a failure of the test, for its page.
  func noteFailure() {
    guard let recorder else { return }
    failedRecording.withLock { $0.noteFailure(in: recorder) }
  }

  /// Notes that a wait throws an error, which the test may expect.
  func noteThrowing(_ error: any Error) { note(error) { $0.noteThrowing($1, in: $2) } }

  /// Notes that the test fails with an error.
  func noteEnd(with error: any Error) { note(error) { $0.noteEnd(with: $1, in: $2) } }

  private func note(_ error: any Error, by change: (inout FailedRecording, String, Recorder) -> Void) {
    guard let recorder else { return }
    // Described outside the lock, because that is code of the test (rule 6.5).
    let text = "\(error)"
    failedRecording.withLock { change(&$0, text, recorder) }
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
