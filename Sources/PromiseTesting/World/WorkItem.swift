import PromiseCore

/// The work of one step of a ``TestWorld``.
enum WorkItem: Sendable {
  case job(Job)
  /// A part of a Task, up to its next suspension. `after` describes the promise for which it has waited, and `cause` is
  /// the step that made it ready, if these are known.
  case task(UnownedJob, on: WorldExecutor, after: String?, cause: StepName?)
  case action(name: String, @Sendable () -> Void)
  /// The action of a timer, with the place that has requested the timer.
  case timer(at: CreationSite, @Sendable () -> Void)

  /// Runs the work in the calling thread. It is called at most once.
  ///
  /// - Returns: `false` if there was nothing left to run, because the handler was cancelled or detached before.
  func run() -> Bool {
    switch self {
    case .job(let job):
      var hasRun = false
      job.run(handlerReturned: { hasRun = true })
      return hasRun
    // Safe, because the job was enqueued on that executor, and is run once.
    case .task(let job, let executor, _, _): unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
    case .action(_, let action), .timer(_, let action): action()
    }
    return true
  }

  /// Discards the work, because the world has ended. A job that is released unrun rejects its promise (rule 6.2).
  func discard() {
    guard case .task(let job, _, _, _) = self else { return }
    // A Task must continue, so it is enqueued on the system's executor.
    globalConcurrentExecutor.enqueue(job)
  }

  /// The settled promise that waits for the handler that this step runs, if it runs one.
  var source: AnyPromise? { if case .job(let job) = self { job.source } else { nil } }

  /// The name of this step as the cause of another. A Task without a name has the name of its own cause.
  var name: StepName? {
    switch self {
    case .job(let job): job.site.map(StepName.site)
    case .task(_, let executor, _, let cause): executor.name ?? cause
    case .action(let name, _): .text(name)
    case .timer(let site, _): .site(site)
    }
  }
}

extension WorkItem: CustomStringConvertible {
  /// The ``ScheduledStep/action`` of this step. Reports and schedules have it from here.
  var description: String {
    switch self {
    case .job(let job): job.label
    case .task(_, let executor, let awaited, let cause):
      (executor.name.map(Self.describeTask) ?? "Task") + (awaited.map { ", resumed by \($0)" } ?? "")
        + (cause.map { ", after \($0)" } ?? "")
    case .action(let name, _): name
    case .timer(let site, _): "timer, \(site)"
    }
  }

  private static func describeTask(named name: StepName) -> String {
    switch name {
    case .site(let site): "Task, \(site)"
    case .text(let text): text
    }
  }
}

/// The name of a step of a world, for reports.
enum StepName: Sendable, CustomStringConvertible {
  case site(CreationSite)
  case text(String)

  var description: String {
    switch self {
    case .site(let site): site.description
    case .text(let text): text
    }
  }
}
