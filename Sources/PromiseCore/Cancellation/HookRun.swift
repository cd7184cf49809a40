/// Runs the owners' hooks of one thread in a loop (rule 4.5).
///
/// A hook may cancel another promise, whose hook cancels a third, and so on. The first call of `run` on a thread binds
/// a `HookRun`. While one of its hooks runs, further calls on the same thread only add their hooks to it. These run
/// when that hook has returned, before the hooks that were already waiting. So the stack stays flat, however long the
/// chain is.
///
/// The run is a task-local value. On a thread without a Task, that is a thread-local value. A Task that a hook creates
/// inherits the value, but is another Task, and must run its hooks before its own call of `cancel` returns. Therefore
/// the run records its Task.
final class HookRun: Sendable {
  @TaskLocal private static var current: HookRun?

  private let task: Int?
  // `nonisolated(unsafe)`, because these are accessed under the lock only.
  /// The next hook is the last element.
  nonisolated(unsafe) private var waiting: [DueHook]
  /// The hooks that the running hook has caused, in order.
  nonisolated(unsafe) private var caused: [DueHook] = []
  nonisolated(unsafe) private var isClosed = false
  private let lock = ShortLock()

  private init(_ hooks: [DueHook], in task: Int?) {
    self.task = task
    unsafe waiting = hooks.reversed()
  }

  /// Runs the hooks in order before it returns. If it is called by a hook on the same thread, it leaves them to the
  /// outermost call.
  static func run(_ hooks: [DueHook]) {
    let task = runningTask
    if let current, current.task == task, current.add(hooks) { return }
    let run = HookRun(hooks, in: task)
    $current.withValue(run) {
      while let next = run.next() { next.run() }
    }
  }

  /// Adds hooks to the run. Returns `false` if the run has ended.
  private func add(_ hooks: [DueHook]) -> Bool {
    lock.locked {
      if unsafe isClosed { return false }
      unsafe caused += hooks
      return true
    }
  }

  /// Removes and returns the next hook. Closes the run if there is none.
  private func next() -> DueHook? {
    lock.locked {
      unsafe waiting += caused.reversed()
      unsafe caused = []
      let next = unsafe waiting.popLast()
      unsafe isClosed = next == nil
      return next
    }
  }
}
