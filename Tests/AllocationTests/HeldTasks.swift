/// An executor that runs Tasks when the test calls `run()`, in the thread of the test, so that their allocations are
/// counted.
final class HeldTasks: TaskExecutor, SerialExecutor, @unchecked Sendable {
  // `@unchecked`: only one thread uses it.
  private var jobs: [UnownedJob] = []

  init() { jobs.reserveCapacity(64) }

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Accepts every isolation check, because the only thread that uses the executor is also the thread that runs its
  /// Tasks.
  func checkIsolated() {}

  /// Runs the jobs in the list and all jobs that they add.
  func run() { while let job = jobs.popLast() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) } }
}
