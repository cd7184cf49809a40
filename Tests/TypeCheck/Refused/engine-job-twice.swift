// A context cannot run a job of the engine twice, because it cannot copy the job.
import PromiseContexts

nonisolated final class Twice: ExecutionContext {
  func schedule(_ job: consuming Job) { job.run() }

  // expect: 'job' consumed more than once
  func scheduleEngineJob(_ job: consuming EngineJob) {
    let pool: any ExecutionContext = .pool
    pool.scheduleEngineJob(job)
    pool.scheduleEngineJob(job)
  }
}
