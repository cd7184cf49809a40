public import PromiseCore

/// Runs handlers on a task executor. See ``PromiseCore/ExecutionContext/executor(_:)``.
public final class TaskExecutorContext: ExecutionContext {
  private let executor: any TaskExecutor

  fileprivate init(_ executor: any TaskExecutor) { self.executor = executor }

  /// Runs the job later, in a Task that prefers the executor.
  ///
  /// The Task is detached, so the handler does not inherit the task-local values, the priority and the actor of the
  /// settling thread (rule 8.3). To pass values to handlers, use ``/PromiseCore/Diagnostics/carryContext(_:)``.
  public func schedule(_ job: consuming Job) {
    let job = consume job
    Task.detached(executorPreference: executor) { job.run() }
  }
}

extension ExecutionContext where Self == TaskExecutorContext {
  /// Returns a context that runs each handler in a Task that prefers the executor.
  ///
  /// Each handler reaches the executor as a job of its own, in the order in which handlers are attached and promises
  /// settle. The executor decides in which order it runs jobs, and how many at a time. So no order is guaranteed
  /// (rule 2.2). Handlers inherit nothing from the settling thread.
  ///
  /// - Complexity: one allocation. Keep the context if you use it often. It retains the executor, and handlers retain
  ///   it until they have run.
  public static func executor(_ executor: any TaskExecutor) -> TaskExecutorContext { TaskExecutorContext(executor) }

  @available(*, unavailable, message: "name the executor: `on: .executor(executor)`")
  @_documentation(visibility: internal)
  public static var executor: TaskExecutorContext { isNotCalled() }
}
