/// Where reactions with an async closure run: each in a detached Task of its own.
///
/// The reaction is in the hands of the Task as it is in those of a job that runs: it stays active (rule 4.2), is somebody's parent
/// (rule 6.3), and if it is detached before the Task has started, it never runs (rule 2.5).
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

  /// Detached: this is the thread that happens to settle the promise, and what it has with it (task-local values, priority, an
  /// actor) is no business of the handler's.
  @usableFromInline
  func schedule(_ job: consuming Job) {
    let executor = executor?.naming(job.site)
    let reaction = job.reaction
    // Before the Task starts, which lets the target go when it ends.
    let target = reaction.target
    let task = Task.detached(executorPreference: executor, priority: priority) { await reaction.runAwaiting() }
    // Runs at once where a handler of errors starts below a cancelled promise (rule 2.5).
    target?.addCancelHook { _ in task.cancel() }
  }
}

extension Reaction {
  /// As a job runs its handler, with an async one.
  fileprivate final func runAwaiting() async {
    let before = start()
    guard !before.isStarted, !before.isDetached else { return }
    switch await awaitBody(startedFrom: before) {
    case .settled: publishTarget()
    case .nothing, .adopts, .awaits, .settles: endTarget()
    }
  }

  /// Runs the closure and releases it with all it captured, before the target is published (rule 2.4).
  private func awaitBody(startedFrom before: ReactionWord) async -> Verdict {
    guard case .awaits(let operation) = runBody(startedFrom: before) else { return .nothing }
    return await operation()
  }
}
