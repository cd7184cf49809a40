import PromiseCore
import TestSupport

// Who hears of promises besides their handlers: Tasks that wait, and the hooks for what went wrong.

extension Machine {
  /// A Task that waits is told of what it waited for when it runs.
  func runTasks() { executor.runUntilIdle() }

  func startTask(awaiting number: Int, isCancelled: Bool, cancelsSource: Bool) {
    guard let promise = promise(number) else { return }
    let (handler, captures) = newHandler(cancelsSource ? .cancellingWaiter : .waiter)
    let task = Task(executorPreference: executor) { [self] in
      let sight: Sight
      do {
        sight = .value(try await cancelsSource ? promise.value(cancelsSource: true) : promise.value)
      } catch { sight = .failure(Outcome.Failure(error)) }
      withExtendedLifetime(captures) {}
      forgetTask(handler)
      note(.awaited(handler, sight))
    }
    remember(task, handler, awaiting: number)
    if isCancelled { task.cancel() }
    // It waits from here on, also where a handler has started it: else what the handler does next would come first.
    runTasks()
  }

  /// The process's hooks, for promises are to know nothing of a scope.
  static let listens: Void = {
    Diagnostics.onSecondSettlement { report in
      current?.note(.second(report.createdAt.line, afterCancel: report.wasCancelled))
    }
    Diagnostics.onUnhandledRejection { report in
      current?.noteUnhandled(report.createdAt.line)
    }
  }()
}
