public import PromiseCore

/// Runs each handler in a Task of its own, with a priority. See ``PromiseCore/ExecutionContext/task(priority:)``.
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
  /// The Task is detached, so the handler does not inherit the task-local values, the priority and the actor of the
  /// settling thread (rule 8.3). To pass values to handlers, use ``/PromiseCore/Diagnostics/carryContext(_:)``.
  public func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }

  @_documentation(visibility: internal)
  public func scheduleEngineJob(_ job: consuming EngineJob) {
    let job = job.take()
    Task.detached(executorPreference: executor?.naming(job.site), priority: priority) { job.run() }
  }
}

extension ExecutionContext where Self == TaskContext {
  /// Returns a context that runs each handler in a detached Task, on the threads of Swift concurrency.
  ///
  /// Handlers may run at the same time, and in any order (rule 2.2). They inherit nothing from the settling thread. A
  /// handler must not block, because these threads are few, and all async code needs them. Handlers that block belong
  /// on ``PromiseCore/ExecutionContext/pool``.
  ///
  /// - Parameter priority: the priority of the Tasks. If it is `nil`, they have the default priority of a detached
  ///   Task.
  /// - Complexity: no allocation without a priority, otherwise one. Keep the context if you use it often. Handlers
  ///   retain it until they have run.
  public static func task(priority: TaskPriority? = nil) -> TaskContext {
    TaskContext.with(priority)
  }

  /// The context that runs each handler in a detached Task of the default priority. See ``task(priority:)``.
  public static var task: TaskContext { .task() }
}
