import Foundation
import PromiseRecording
import Testing

extension Browser {
  /// Measurements of the tasks of a page's main thread.
  struct Tasks {
    /// The length of the longest task, in milliseconds.
    var longest = 0.0
    /// The longest time for which a task has used the processor, in milliseconds.
    var longestProcessorTime = 0.0
    var count = 0
  }

  /// Measures the tasks of the page's main thread while the closure runs.
  func tracingTasks(_ body: () throws -> Void) throws -> Tasks {
    let categories = ["toplevel", "disabled-by-default-devtools.timeline"]
    try call("Tracing.start", ["traceConfig": ["includedCategories": categories], "transferMode": "ReportEvents"])
    try body()
    try call("Tracing.end")
    try wait(for: "Tracing.tracingComplete")
    let parts = notices.filter { $0["method"] as? String == "Tracing.dataCollected" }
    let events = parts.flatMap { ($0["params"] as? [String: Any])?["value"] as? [[String: Any]] ?? [] }
    let threads = events.filter { event in
      event["name"] as? String == "thread_name"
        && (event["args"] as? [String: Any])?["name"] as? String == "CrRendererMain"
    }
    let main = Set(threads.map(Self.thread))
    let tasks = events.filter {
      ["RunTask", "ThreadControllerImpl::RunTask"].contains($0["name"] as? String) && main.contains(Self.thread($0))
    }
    func longest(_ member: String) -> Double { (tasks.compactMap { $0[member] as? Double }.max() ?? 0) / 1000 }
    return Tasks(longest: longest("dur"), longestProcessorTime: longest("tdur"), count: tasks.count)
  }

  private static func thread(_ event: [String: Any]) -> [Int] {
    [event["pid"], event["tid"]].compactMap { $0 as? Int }
  }
}

/// A page in a file, which is removed when the value is deallocated.
final class PageFile {
  let url: URL
  /// The size in bytes.
  let size: Int

  init(_ recording: Recording, title: String = "Profile screen") throws {
    let data = Data(recording.page(title: title).utf8)
    size = data.count
    url = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString).html")
    try data.write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the address of the page with a part after "#".
  func address(_ fragment: String = "") throws -> URL {
    try #require(URL(string: url.absoluteString + (fragment.isEmpty ? "" : "#\(fragment)")))
  }
}
