import TestSupport

// Waiting Tasks, and the diagnostic hooks of the process.

extension Machine {
  /// Runs the Tasks. A waiting Task receives the awaited outcome only when it runs. Returns the number of jobs.
  @discardableResult
  func runTasks() -> Int {
    var count = 0
    while true {
      let more = executor.runUntilIdle() + rest.runUntilIdle()
      if more == 0 { return count }
      count += more
    }
  }

  func startTask(awaiting number: Int, isCancelled: Bool, cancelsSource: Bool) {
    guard let promise = promise(number) else { return }
    let (handler, captures) = newHandler(cancelsSource ? .cancellingWaiter : .waiter)
    let task = Task(executorPreference: executor) { [self] in
      let sight: Sight
      do {
        // Not `value(cancelsSource: true)`, because the model does not know yet when a promise has finished.
        if cancelsSource { try await promise.settledOrGivenUp(givingUp: true, restOn: rest) }
        sight = .value(try await promise.value)
      } catch { sight = .failure(Outcome.Failure(error)) }
      withExtendedLifetime(captures) {}
      forgetTask(handler)
      note(.awaited(handler, sight))
    }
    remember(task, handler, awaiting: number)
    if isCancelled { task.cancel() }
    // The Task waits from here on, even if a handler has started it. Otherwise, the next action of the handler would
    // come first.
    runTasks()
  }

  /// Sets the hooks of the process, because promises of a scope would have to know of the scope.
  static let listens: Void = {
    Diagnostics.onSecondSettlement { report in
      current?.note(.second(report.createdAt.line, afterCancel: report.wasCancelled))
    }
    Diagnostics.onUnhandledRejection { report in
      current?.noteUnhandled(report.createdAt.line)
    }
  }()
}
