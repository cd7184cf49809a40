public import PromiseCore

/// A context that keeps jobs until a thread calls ``run()``, and runs them one after another on that thread in flat
/// memory. It is for tests with many jobs, where a queue that removes its first element would be too slow.
public final class Trampoline: ExecutionContext {
  private let jobs = Locked<[Job]>([])

  public init() {}

  public func schedule(_ job: consuming Job) {
    let job = job
    jobs.withLock { $0.append(job) }
  }

  /// Returns the jobs that were scheduled since the last call.
  public func takeAll() -> [Job] {
    jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
  }

  /// Runs jobs in rounds until no job is left. Returns the number of rounds.
  @discardableResult
  public func run() -> Int {
    var rounds = 0
    while true {
      let round = takeAll()
      if round.isEmpty { return rounds }
      for job in round { job.run() }
      rounds += 1
    }
  }
}
