import Dispatch
import Foundation
import Synchronization

/// The equivalent of the bursts of the W4 family in Swift concurrency. Each task waits in a continuation, which is
/// resumed.
enum WaitingTasks {
  /// Resumes all tasks, waits until each has done its work, and returns nanoseconds per task.
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

  /// The continuations of the tasks.
  private final class Continuations: Sendable {
    private let all = Mutex<[CheckedContinuation<Int, Never>]>([])

    func append(_ continuation: CheckedContinuation<Int, Never>) { all.withLock { $0.append(continuation) } }

    func wait(for count: Int) -> [CheckedContinuation<Int, Never>] {
      while true {
        let found = all.withLock { $0 }
        if found.count == count { return found }
        // This waiting belongs to the preparation, which is not timed.
        usleep(1_000)
      }
    }
  }
}
