import PromiseCore

/// Keeps jobs until it is told to run them, in a list that has room, so that the context itself allocates nothing.
final class Shelf: ExecutionContext, @unchecked Sendable {
  // `@unchecked`: used by one thread.
  private var jobs: [Job] = []

  init() { jobs.reserveCapacity(64) }

  func schedule(_ job: consuming Job) { jobs.append(job) }

  /// Runs what is there, and what comes then. `false`: there was nothing.
  @discardableResult
  func run() -> Bool {
    let wasEmpty = jobs.isEmpty
    while let job = jobs.popLast() { job.run() }
    return !wasEmpty
  }
}
