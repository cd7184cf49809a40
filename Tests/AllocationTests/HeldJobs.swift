import PromiseCore

/// A context that keeps jobs in a list until the test runs them. The list has reserved capacity, so the context itself
/// allocates nothing.
final class HeldJobs: ExecutionContext, @unchecked Sendable {
  // `@unchecked`: only one thread uses it.
  private var jobs: [Job] = []

  init() { jobs.reserveCapacity(64) }

  func schedule(_ job: consuming Job) { jobs.append(job) }

  /// Runs the jobs in the list and all jobs that they add. Returns `false` if there was none.
  @discardableResult
  func run() -> Bool {
    let wasEmpty = jobs.isEmpty
    while let job = jobs.popLast() { job.run() }
    return !wasEmpty
  }
}
