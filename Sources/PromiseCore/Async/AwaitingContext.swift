/// The context of links with an async closure. It runs each in a detached Task of its own.
///
/// The Task holds the entry as a running job does. So a cancel still finds it (rule 4.2), the source is still its `parent`
/// (rule 6.3), and a closure whose promise is cancelled before the Task has started never runs (rule 2.5).
@usableFromInline
final class AwaitingContext: NamedContext {
  private static let standard = AwaitingContext(nil, on: nil)
  private let priority: TaskPriority?
  private let executor: (any TestTaskExecutor)?

  @usableFromInline var contextName: String { "a Task" }

  private init(_ priority: TaskPriority?, on executor: (any TestTaskExecutor)?) {
    self.priority = priority
    self.executor = executor
  }

  @usableFromInline
  static func with(_ priority: TaskPriority?) -> any ExecutionContext {
    let executor = Diagnostics.testEnvironment?.executor
    return priority == nil && executor == nil ? standard : AwaitingContext(priority, on: executor)
  }

  /// Creates the Task. It is detached, because this runs on whatever thread settles the promise. The task-local values,
  /// the priority and the actor of that thread do not concern the handler.
  @usableFromInline
  func scheduleUnchecked(_ job: UncheckedJob) {
    let executor = executor?.naming(job.site)
    // Read before the Task starts, because the Task releases the entry when it ends.
    let promise = job.entry.strong
    let task = Task.detached(executorPreference: executor, priority: priority) { await job.runAwaiting() }
    // If the promise was cancelled already, the hook runs at once. This happens to a handler of errors below a
    // cancelled promise (rule 2.5).
    promise.addCancelHook { _ in task.cancel() }
  }

  @usableFromInline
  func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }
}
