import PromiseRecording
import TestSupport
import Testing

/// Opens pages of two sizes and prints the measurements. The limit counts processor time, because a busy machine can
/// interrupt a task for any length of time.
@Suite(
  "Tasks of pages", .slow, .serialized, .bounded,
  .enabled(if: Browser.path != nil, "No Chromium was found in PATH or CHROMIUM, so the page was NOT tested."))
struct PageTaskTests {
  @Test("Every task of the page stays below its limit of processor time", arguments: [10, 100_000])
  func tasks(eventCount: Int) throws {
    let file = try PageFile(
      eventCount == 10 ? SampleRecordings.ten : SampleRecordings.recording(eventCount: eventCount))
    let browser = try Browser()
    let tasks = try browser.tracingTasks { try browser.open(file.address("find=user%2040")) }
    print("\(eventCount) events: \(file.size) bytes, \(tasks)")
    #expect(tasks.longestProcessorTime > 0)
    #expect(tasks.longestProcessorTime < 150)
    #expect(browser.errors == [])
    try browser.close()
  }
}
