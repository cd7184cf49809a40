import PromiseCore
import TestSupport

/// A context that keeps all its jobs until it is told to run them: for tests with more of them than a queue that removes its
/// first element can bear.
final class ListingContext: ExecutionContext {
  private let jobs = Locked<[Job]>([])

  func schedule(_ job: consuming Job) {
    let job = job
    jobs.withLock { $0.append(job) }
  }

  /// The jobs that have come since the last call.
  func takeAll() -> [Job] {
    jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
  }

  /// Runs round after round, until no job is left. Returns the number of rounds.
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

/// A context that calls a body where it is given a job, and then runs the job at once.
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
