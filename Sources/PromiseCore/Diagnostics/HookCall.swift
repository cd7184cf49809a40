import Synchronization

/// One call of a hook. Reports that the same thread or Task makes during the call are dropped, because a hook that
/// drops a rejected promise would otherwise call itself endlessly.
///
/// The call is recorded in a task-local value. On a thread without a Task, that is a thread-local value. A Task that
/// the hook creates inherits the value, so the value also records the Task that it belongs to. It also records when the
/// hook has returned, because a later Task may have the same identity.
final class HookCall: Sendable {
  @TaskLocal private static var current: HookCall?

  private let task: Int?
  private let hasEnded = Atomic<Bool>(false)

  private init(in task: Int?) { self.task = task }

  /// Calls the hook on this thread, inside this call. Does nothing if a hook is being called by the same thread or
  /// Task.
  static func call<Report>(_ hook: (Report) -> Void, with report: Report) {
    let task = runningTask
    // Relaxed, because the comparison matters only if the same Task or thread has written it.
    if let current, current.task == task, !current.hasEnded.load(ordering: .relaxed) { return }
    let call = HookCall(in: task)
    $current.withValue(call) { hook(report) }
    call.hasEnded.store(true, ordering: .relaxed)
  }
}
