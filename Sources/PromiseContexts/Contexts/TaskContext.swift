public import PromiseCore

/// A Task for each handler, with a priority: see ``PromiseCore/ExecutionContext/task(priority:)``.
public final class TaskContext: ExecutionContext {
  private static let standard = TaskContext(priority: nil, on: nil)

  private let priority: TaskPriority?
  private let executor: (any TestTaskExecutor)?

  private init(priority: TaskPriority?, on executor: (any TestTaskExecutor)?) {
    self.priority = priority
    self.executor = executor
  }

  fileprivate static func with(_ priority: TaskPriority?) -> TaskContext {
    let executor = Diagnostics.testEnvironment?.executor
    return priority == nil && executor == nil ? standard : TaskContext(priority: priority, on: executor)
  }

  /// Runs the job later, in a Task of its own.
  ///
  /// Detached: this is the thread that happens to settle the promise, and its task-local values, its priority and its
  /// actor are no business of the handler's (rule 8.3; to carry something to handlers see
  /// ``/PromiseCore/Diagnostics/carryContext(_:)``).
  public func schedule(_ job: consuming Job) {
    let job = consume job
    Task.detached(executorPreference: executor?.naming(job.site), priority: priority) { job.run() }
  }
}

extension ExecutionContext where Self == TaskContext {
  /// A detached Task for each handler, with a priority, on the threads of Swift concurrency.
  ///
  /// Handlers may run at the same time, and no order is promised (rule 2.2). They inherit nothing of the thread that
  /// settles the promise. A handler must not block there: these threads are few, and all async code needs them. For
  /// handlers that block there is ``PromiseCore/ExecutionContext/pool``.
  ///
  /// - Parameter priority: that of the Tasks; `nil`: that of a detached Task.
  /// - Complexity: without a priority no allocation, else one; keep the context if you use it often. Handlers keep it
  ///   until they have run.
  public static func task(priority: TaskPriority? = nil) -> TaskContext {
    TaskContext.with(priority)
  }
}
