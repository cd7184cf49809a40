import Foundation
import PromiseTesting

/// The figures of the process before a run, to which it must return after the run.
struct Baseline {
  private let figures: ProcessFigures
  private let openFiles = ProcessFigures.openFiles

  /// How much more may be allocated. Tables that have grown keep their size: those of timers, of queues and of Dispatch.
  private static let allowedBytes = 3_000_000
  /// Threads of Dispatch that come and go: its manager, and a worker.
  private static let allowedThreads = 2
  /// Foundation on Linux loses the parts of the URL of each request, in `CFURLSessionCurlHostIsEqual`.
  private static let lostBytesPerRequest = 200

  /// Waits until the process is at rest, and looks at it.
  init() {
    // Dispatch ends idle threads after some seconds.
    var last = ProcessFigures.now
    for _ in 0..<20 {
      Thread.sleep(forTimeInterval: 1)
      let now = ProcessFigures.now
      if now.threads == last.threads, now.descriptors == last.descriptors, now.threads <= 8 { break }
      last = now
    }
    figures = .now
  }

  /// Returns complaints about what has not returned.
  ///
  /// - Parameter requestCount: the number of requests of the run.
  func complaints(afterRequests requestCount: Int) -> [String] {
    let before = figures
    _ = eventually {
      let now = ProcessFigures.now
      return now.threads <= before.threads + Self.allowedThreads
        && now.descriptors <= before.descriptors + RequestLoad.connectionLimit
    }
    let now = ProcessFigures.now
    var complaints: [String] = []
    func compare(_ name: String, _ figure: KeyPath<ProcessFigures, Int>, allowing surplus: Int) {
      let old = before[keyPath: figure]
      let new = now[keyPath: figure]
      print("\(name): \(old) before, \(new) after")
      if new > old + surplus { complaints.append("\(name): \(old) before, \(new) after") }
    }
    compare("threads", \.threads, allowing: Self.allowedThreads)
    compare("descriptors", \.descriptors, allowing: RequestLoad.connectionLimit)
    if !complaints.isEmpty { complaints.append("open: \(openFiles) before, \(ProcessFigures.openFiles) after") }
    compare("allocated bytes", \.allocated, allowing: Self.allowedBytes + requestCount * Self.lostBytesPerRequest)
    if ProcessFigures.hasChildren { complaints.append("a child process is left") }
    if Diagnostics.recordsPendingPromises {
      let pending = Diagnostics.pending()
      if pending.count + pending.unfinishedCount > 0 { complaints.append("promises are left:\n\(pending)") }
    }
    return complaints
  }
}
