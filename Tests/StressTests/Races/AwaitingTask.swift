import Foundation
import TestSupport
import Testing

/// A Task that awaits a promise and records the value, 0 after a cancellation, or -1 after any other error.
struct AwaitingTask: Sendable {
  let executor = ManualExecutor()
  let log = Log<Int>()
  let task: Task<Void, Never>

  init(for promise: Promise<Int>, cancelsSource: Bool = false, capturing payload: Tracked? = nil) {
    task = Task(executorPreference: executor) { [log] in
      do {
        log.append(try await cancelsSource ? promise.value(cancelsSource: true) : promise.value)
      } catch {
        log.append(error is CancellationError ? 0 : -1)
      }
      withExtendedLifetime(payload) {}
    }
  }

  /// Runs the Task to its end or until it waits.
  func run() { executor.runUntilIdle() }

  /// Runs the Task to its end. Another thread may have to resume it.
  func runToEnd() {
    while log.entries.isEmpty {
      run()
      sched_yield()
    }
  }

  /// Returns the recorded result. Requires that the Task has recorded exactly one.
  func outcome() throws -> Int {
    run()
    try #require(log.entries.count == 1)
    return log.entries[0]
  }
}
