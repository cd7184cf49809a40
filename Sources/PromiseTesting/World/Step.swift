import PromiseCore

/// Something that waits to be run on a context of a world.
enum Step: Sendable {
  case job(Job)
  /// A part of a Task, up to where it suspends.
  case task(UnownedJob, on: WorldExecutor)
  case action(name: String, @Sendable () -> Void)

  /// Runs it in the calling thread. Once.
  func run() {
    switch self {
    case .job(let job): job.run()
    // Safe: it was enqueued on that executor, and is run once.
    case .task(let job, let executor): unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
    case .action(_, let action): action()
    }
  }

  /// It will not be run here. A job that is let go rejects its promise (rule 6.2).
  func leave() {
    guard case .task(let job, _) = self else { return }
    // Nobody may keep a Task from going on.
    globalConcurrentExecutor.enqueue(job)
  }
}

extension Step: CustomStringConvertible {
  var description: String {
    switch self {
    case .job(let job): job.label
    case .task: "Task"
    case .action(let name, _): name
    }
  }
}
