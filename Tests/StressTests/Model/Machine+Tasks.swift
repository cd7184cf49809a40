import PromiseCore
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
    let body: @Sendable () async -> Void = { [self] in
      let seenOutcome: SeenOutcome
      do {
        seenOutcome = .value(try await promise.value(cancelsSource: cancelsSource))
      } catch {
        seenOutcome = .failure(Outcome.Failure(error))
      }
      withExtendedLifetime(captures) {}
      forgetTask(handler)
      note(.awaited(handler, seenOutcome))
    }
    let task = environment.scope.bind { Task(executorPreference: executor, operation: body) }
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

/// The environment of waiting Tasks. It determines where the rest of their cancellations happens. Without it, that
/// would happen on the pool, in no order with the steps.
final class WaitingTaskEnvironment: TestEnvironment {
  let hookContext: any ExecutionContext
  let executor: any TestTaskExecutor = UnusedExecutor()

  init(hookContext: any ExecutionContext) { self.hookContext = hookContext }

  func didCreate(_ promise: AnyPromise) {}

  /// A scope of its own for each Task. While there is any scope, each new promise looks up its own, so no scope is kept
  /// longer than needed.
  var scope: DiagnosticsScope {
    let scope = DiagnosticsScope(unhandledRejection: { _ in }, secondSettlement: { _ in })
    scope.setTestEnvironment(self)
    return scope
  }

  /// The waiting Tasks make no other Tasks.
  private final class UnusedExecutor: TestTaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { globalConcurrentExecutor.enqueue(UnownedJob(job)) }
    func naming(_ site: CreationSite?) -> any TaskExecutor { self }
  }
}
