import PromiseCore

/// A context of one thread, which schedules jobs and runs them in a loop when the thread calls ``run()``.
///
/// It uses no Dispatch, no lock and no atomic operation, so that a measurement shows only the library. A job never runs
/// inside `schedule`.
///
/// `@unchecked`, because only one thread may use it.
final class LoopContext: ExecutionContext, @unchecked Sendable {
  // Exclusivity holds, because a job runs after it has been moved out. The check would cost more than the queue itself.
  @exclusivity(unchecked) private nonisolated(unsafe) var jobs: [Job?] = []

  func schedule(_ job: consuming Job) { unsafe jobs.append(consume job) }

  /// Runs the jobs in their order, including jobs that are scheduled meanwhile, until none is left. Returns their
  /// number.
  @discardableResult
  func run() -> Int {
    var ran = 0
    while unsafe ran < jobs.count {
      // The job is moved, because a copy would count a reference.
      var job: Job?
      unsafe swap(&job, &jobs[ran])
      ran += 1
      job?.run()
    }
    unsafe jobs.removeAll(keepingCapacity: true)
    return ran
  }
}
