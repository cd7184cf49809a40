public import PromiseCore

/// A task executor as a context: see ``PromiseCore/ExecutionContext/executor(_:)``.
public final class TaskExecutorContext: ExecutionContext {
  private let executor: any TaskExecutor

  fileprivate init(_ executor: any TaskExecutor) { self.executor = executor }

  /// Runs the job later, in a Task that prefers the executor.
  ///
  /// Detached: this is the thread that happens to settle the promise, and its task-local values, its priority and its
  /// actor are no business of the handler's (rule 8.3; to carry something to handlers see
  /// ``/PromiseCore/Diagnostics/carryContext(_:)``).
  public func schedule(_ job: consuming Job) {
    let job = consume job
    Task.detached(executorPreference: executor) { job.run() }
  }
}

extension ExecutionContext where Self == TaskExecutorContext {
  /// A task executor: each handler is a Task that prefers it, and so runs where the executor runs its jobs.
  ///
  /// Each handler reaches the executor as a job of its own, in the order in which handlers are attached and promises
  /// settled; in which order, and how many at a time, is the executor's affair, so none is promised (rule 2.2).
  /// Handlers inherit nothing of the thread that settles the promise.
  ///
  /// - Complexity: one allocation; keep the context if you use it often. It keeps the executor, and handlers keep it
  ///   until they have run.
  public static func executor(_ executor: any TaskExecutor) -> TaskExecutorContext { TaskExecutorContext(executor) }
}
