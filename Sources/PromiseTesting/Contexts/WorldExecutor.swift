import PromiseCore

/// The task executor of a ``TestWorld``. It runs the library's own Tasks in the world, and Tasks that are given it as
/// preference.
///
/// The code between two suspensions of a Task is one step of the world. Steps may run in any order.
final class WorldExecutor: TestTaskExecutor {
  /// The name of the Tasks that run here, for reports.
  let name: StepName?

  private let scheduler: Scheduler
  private let contextQueue: ScheduleQueue.ContextQueueID

  convenience init(on scheduler: Scheduler) {
    self.init(nil, on: scheduler, scheduler.addContextQueue("tasks", isSerial: false))
  }

  private init(_ name: StepName?, on scheduler: Scheduler, _ contextQueue: ScheduleQueue.ContextQueueID) {
    self.name = name
    self.scheduler = scheduler
    self.contextQueue = contextQueue
  }

  /// The calling thread makes the Task, or makes it ready to go on. If it runs a step of the world, that step is the
  /// cause.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let awaited = AwaitedByTask.current
    scheduler.add([.task(job, on: self, after: awaited, cause: scheduler.runningStepName)], to: contextQueue)
  }

  func naming(_ site: CreationSite?) -> any TaskExecutor { site.map { naming(.site($0)) } ?? self }

  /// Returns an executor that runs Tasks as this one does, and has a name for them.
  func naming(_ name: StepName) -> WorldExecutor { WorldExecutor(name, on: scheduler, contextQueue) }
}
