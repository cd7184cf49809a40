import PromiseCore
import TestSupport

/// A context that keeps its jobs until the test runs them. It is for tests with many jobs, where a queue that removes
/// its first element would be too slow.
final class ListingContext: ExecutionContext {
  private let jobs = Locked<[Job]>([])

  func schedule(_ job: consuming Job) {
    let job = job
    jobs.withLock { $0.append(job) }
  }

  /// Returns the jobs that were scheduled since the last call.
  func takeAll() -> [Job] {
    jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
  }

  /// Runs rounds of jobs until no job is left. Returns the number of rounds.
  @discardableResult
  func runAll() -> Int {
    var rounds = 0
    while true {
      let round = takeAll()
      if round.isEmpty { return rounds }
      for job in round { job.run() }
      rounds += 1
    }
  }
}

/// A context that calls a body when it receives a job, and then runs the job at once.
final class CallingContext: ExecutionContext {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func schedule(_ job: consuming Job) {
    body()
    job.run()
  }
}

/// A context that drops every job at once.
final class DroppingContext: ExecutionContext {
  func schedule(_ job: consuming Job) { _ = consume job }
}
