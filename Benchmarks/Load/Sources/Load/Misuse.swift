import PromiseCore
import Synchronization

/// Collects reports of the library that no load must cause: unhandled rejections and second settlements.
enum Misuse {
  private static let reports = Mutex<[String: Int]>([:])

  static func watch() {
    Diagnostics.onUnhandledRejection { report("unhandled: \($0)") }
    // An owner that is late after a cancellation has made no mistake.
    Diagnostics.onSecondSettlement { if !$0.wasCancelled { report("settled twice: \($0)") } }
  }

  private static func report(_ text: String) { reports.withLock { $0[text, default: 0] += 1 } }

  static var complaints: [String] { reports.withLock { $0.map { "\($0.value) times \($0.key)" } } }
}
