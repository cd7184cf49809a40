/// A task executor that a test steps by hand. Jobs run first in, first out, on the thread that calls
/// ``runUntilIdle()``.
///
/// A `Task(executorPreference: executor) { … }` does not start before ``runUntilIdle()``. When that call returns, the
/// Task has ended or is suspended. So a test knows that a Task is waiting, without a clock.
public final class ManualExecutor: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  public init() {}

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// The number of waiting jobs.
  public var count: Int { jobs.withLock { $0.count } }

  /// Runs jobs, including those that they enqueue, until none is left. Returns the number of jobs.
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
      // Safe, because each job is taken out once, and so runs once.
      for job in batch { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }
}
