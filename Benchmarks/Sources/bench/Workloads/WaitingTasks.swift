import Dispatch
import Foundation
import Synchronization

/// What Swift concurrency offers for the bursts of the W4 family: tasks that wait in a continuation each, and are resumed.
enum WaitingTasks {
  /// Nanoseconds per task: resume them all and wait until each has done its work.
  static func resuming(_ count: Int, work: @escaping @Sendable () -> Void) -> Double {
    let waiting = Continuations()
    let group = DispatchGroup()
    for _ in 0..<count {
      group.enter()
      Task.detached {
        _ = await withCheckedContinuation { waiting.append($0) }
        work()
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
