import TestSupport

/// A Task that awaits the value of a promise on an executor that the test steps, and its result.
struct Waiting<Value: Equatable & Sendable>: Sendable {
  let task: Task<Void, Never>
  private let log = Log<Status<Value>>()

  /// Makes the Task, which does not start before the executor runs. If it cancels the source, it gives the promise up
  /// when it is cancelled.
  init(for promise: Promise<Value>, cancelsSource: Bool = false, on executor: any TaskExecutor) {
    let log = log
    task = Task(executorPreference: executor) {
      do {
        log.append(.fulfilled(try await cancelsSource ? promise.value(cancelsSource: true) : promise.value))
      } catch { log.append(.rejected(Failure(error))) }
    }
  }

  /// The result of the Task. It is empty while the Task waits.
  var results: [Status<Value>] { log.entries }

  /// Runs the executor until the Task has ended, which another thread may have to resume, and returns its result.
  func resultsEventually(on executor: ManualExecutor) async -> [Status<Value>] {
    _ = await eventually {
      executor.runUntilIdle()
      return !results.isEmpty
    }
    return results
  }
}
