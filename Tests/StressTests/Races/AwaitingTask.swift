import PromiseCore
import TestSupport
import Testing

/// A Task and what it got: the value, or 0 where it was cancelled, or -1 where the promise was broken.
struct AwaitingTask: Sendable {
  let executor = ManualExecutor()
  let log = Log<Int>()
  let task: Task<Void, Never>

  init(for promise: Promise<Int>, capturing payload: Tracked? = nil) {
    task = Task(executorPreference: executor) { [log] in
      do {
        log.append(try await promise.value)
      } catch {
        log.append(error is CancellationError ? 0 : -1)
      }
      withExtendedLifetime(payload) {}
    }
  }

  /// Lets the Task run on, to its end or until it waits.
  func run() { executor.runUntilIdle() }

  /// What it got, after it ended: exactly one thing.
  func outcome() throws -> Int {
    run()
    try #require(log.entries.count == 1)
    return log.entries[0]
  }
}
