/// The context of reactions with an async closure. It runs each in a detached Task of its own.
///
/// The Task holds the reaction as a running job does. So a cancel still finds the reaction's target (rule 4.2), the
/// source is still its `parent` (rule 6.3), and a reaction that is detached before the Task has started never runs
/// (rule 2.5).
@usableFromInline
final class AwaitingContext: ExecutionContext {
  private static let standard = AwaitingContext(nil, on: nil)
  private let priority: TaskPriority?
  private let executor: (any TestTaskExecutor)?

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
  func schedule(_ job: consuming Job) {
    let executor = executor?.naming(job.site)
    let reaction = job.reaction
    // Read before the Task starts, because the Task releases the target when it ends.
    let target = reaction.target
    let task = Task.detached(executorPreference: executor, priority: priority) { await reaction.runAwaiting() }
    // If the promise was cancelled already, the hook runs at once. This happens to a handler of errors below a
    // cancelled promise (rule 2.5).
    target?.addCancelHook { _ in task.cancel() }
  }
}

extension Reaction {
  /// Runs an async handler, as a job runs an ordinary one.
  fileprivate final func runAwaiting() async {
    let before = start()
    guard !before.isStarted, !before.isDetached else { return }
    switch await awaitBody(startedFrom: before) {
    case .settled: publishTarget()
    case .nothing, .adopts, .awaits, .settles: endWithoutSettling()
    }
  }

  /// Runs the closure. Releases it with everything that it captured before the target is published (rule 2.4).
  private func awaitBody(startedFrom before: ReactionWord) async -> Verdict {
    guard case .awaits(let operation) = runBody(startedFrom: before) else { return .nothing }
    return await operation()
  }
}
