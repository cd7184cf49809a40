/// Where Tasks run that a test steps by hand: first in, first out, in the thread that tells it.
///
/// `Task(executorPreference: executor) { … }` starts nothing until ``runUntilIdle()``, and when that returns, the Task has ended
/// or waits. So a test knows that a Task is waiting, without a clock.
public final class ManualExecutor: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  public init() {}

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// How many jobs wait.
  public var count: Int { jobs.withLock { $0.count } }

  /// Runs jobs until none is left, those that they enqueue included. Returns how many.
  @discardableResult
  public func runUntilIdle() -> Int {
    var count = 0
    while true {
      let batch = jobs.withLock { jobs in
        defer { jobs = [] }
        return jobs
      }
      if batch.isEmpty { return count }
      count += batch.count
      // Safe: each job is taken out once, and so run once.
      for job in batch { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }
}
