import PromiseCore

/// A context of one thread, which schedules jobs, and runs them in a loop when it calls ``run()``.
///
/// It uses no Dispatch, no lock and no atomic operation, so that a measurement on it shows the library alone. A job never
/// runs inside `schedule`.
///
/// `@unchecked` because one thread alone may use it.
final class LoopContext: ExecutionContext, @unchecked Sendable {
  // Exclusivity holds, because a job runs after it has been moved out. The check would cost more than the queue itself.
  @exclusivity(unchecked) private nonisolated(unsafe) var jobs: [Job?] = []

  func schedule(_ job: consuming Job) { unsafe jobs.append(consume job) }

  /// Runs the jobs in their order, those scheduled meanwhile too, until none is left. Returns how many ran.
  @discardableResult
  func run() -> Int {
    var ran = 0
    while unsafe ran < jobs.count {
      // Moved, because a copy would count a reference.
      var job: Job?
      unsafe swap(&job, &jobs[ran])
      ran += 1
      job?.run()
    }
    unsafe jobs.removeAll(keepingCapacity: true)
    return ran
  }
}
