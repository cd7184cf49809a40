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
  }
}

extension TestWorld {
  /// Keeps the recording up to now, for the page of this failure, unless an earlier failure was noted.
  func noteFailure() {
    guard let recorder else { return }
    failedRecording.withLock { $0 = $0 ?? recorder.recording }
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
