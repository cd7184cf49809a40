/// Runs Tasks when it is told to, in the thread that tells it: what they allocate is counted there.
final class HeldTasks: TaskExecutor, SerialExecutor, @unchecked Sendable {
  // `@unchecked`: used by one thread.
  private var jobs: [UnownedJob] = []

  init() { jobs.reserveCapacity(64) }

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// The one thread that uses it is always where its Tasks are.
  func checkIsolated() {}

  /// Runs what is there, and what comes then.
  func run() {
    while let job = jobs.popLast() { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}
