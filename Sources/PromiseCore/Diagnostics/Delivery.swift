import Synchronization

/// A hook that is being called. Until it returns, what its own thread or Task reports is dropped: a hook that drops a rejected
/// promise would else call itself for ever.
///
/// Known by a task-local value, which on a thread without a Task is a thread-local one. A Task that the hook makes
/// inherits it, but is another Task; and when the hook has returned the value says so, should a later Task have the
/// same identity.
final class Delivery: Sendable {
  @TaskLocal private static var current: Delivery?

  private let task: Int?
  private let hasEnded = Atomic<Bool>(false)

  private init(in task: Int?) { self.task = task }

  /// Calls the hook, in this thread, before it returns.
  static func deliver<Report>(_ report: Report, to hook: (Report) -> Void) {
    let task = runningTask
    // Relaxed: if it is the same Task, or thread, that wrote it.
    if let current, current.task == task, !current.hasEnded.load(ordering: .relaxed) { return }
    let delivery = Delivery(in: task)
    $current.withValue(delivery) { hook(report) }
    delivery.hasEnded.store(true, ordering: .relaxed)
  }
}
