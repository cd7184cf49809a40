import PromiseCore
import TestSupport

/// A Task that awaits a promise's value, on an executor that the test steps, and what it got.
struct Waiting<Value: Equatable & Sendable>: Sendable {
  let task: Task<Void, Never>
  private let log = Log<Seen<Value>>()

  /// Nothing happens before the executor runs.
  init(for promise: Promise<Value>, on executor: ManualExecutor) {
    let log = log
    task = Task(executorPreference: executor) {
      do { log.append(.fulfilled(try await promise.value)) } catch { log.append(.rejected(Failure(error))) }
    }
  }

  /// What the Task has got: nothing, as long as it waits.
  var seen: [Seen<Value>] { log.entries }
}
