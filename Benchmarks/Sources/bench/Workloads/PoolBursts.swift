import Dispatch
import Foundation
import PromiseContexts
import Synchronization

// W4p: a burst of handlers on the library's own pool. Beside it, for orientation, what Swift concurrency offers for the
// same: tasks that wait in a continuation, and are resumed.

extension Workload {
  static let w4p = Workload(
    id: "W4p", title: "fulfil 10,000 promises, a handler each on .pool",
    baseline: "as many queue.async on a concurrent queue, and a group",
    goal: 0.50, pinning: .allCores, unit: "promise", count: 10_000, quickCount: 10_000,
    subjects: [
      .concurrentBurst,
      Subject(.promise) { try Bursts.fulfilling($0, of: "W4p promise", on: .pool) },
      Subject(.concurrency) { resumeTasks($0) },
    ])

  private static func resumeTasks(_ count: Int) -> Double {
    let waiting = Continuations()
    let group = DispatchGroup()
    for _ in 0..<count {
      group.enter()
      Task.detached {
        _ = await withCheckedContinuation { waiting.append($0) }
        group.leave()
      }
    }
    let continuations = waiting.wait(for: count)
    return Stopwatch.nanoseconds(per: count) {
      for continuation in continuations { continuation.resume(returning: 1) }
      group.wait()
    }
  }

  /// Where the tasks leave what resumes them.
  private final class Continuations: Sendable {
    private let all = Mutex<[CheckedContinuation<Int, Never>]>([])

    func append(_ continuation: CheckedContinuation<Int, Never>) { all.withLock { $0.append(continuation) } }

    func wait(for count: Int) -> [CheckedContinuation<Int, Never>] {
      while true {
        let found = all.withLock { $0 }
        if found.count == count { return found }
        // Preparation, not timed.
        usleep(1_000)
      }
    }
  }
}
