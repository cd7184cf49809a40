/// Collects the jobs of one settlement, grouped by the identities of their contexts (rule 2.2).
struct JobBatches {
  private struct Batch {
    let context: any ExecutionContext
    var jobs: [Job]
  }

  private var batches: [Batch] = []
  private var indices: [ObjectIdentifier: Int] = [:]
  /// The index of the batch to which the last job was added, if other jobs may join that batch. The next job usually
  /// has the same context, which then need not be asked for its identity.
  private var last: Int?

  /// Adds a job to the batch of its context, or as a batch of its own if the context has no identity.
  mutating func add(_ job: Job, on context: any ExecutionContext) {
    if let last, batches[last].context === context { return batches[last].jobs.append(job) }
    guard let identity = context.identity else {
      // Scheduled at once if no earlier job is still waiting in a batch.
      if batches.isEmpty { return context.schedule(job) }
      batches.append(Batch(context: context, jobs: [job]))
      last = nil
      return
    }
    if let index = indices[identity] {
      batches[index].jobs.append(job)
      last = index
    } else {
      last = batches.count
      indices[identity] = batches.count
      batches.append(Batch(context: context, jobs: [job]))
    }
  }

  /// Schedules the batches, in the order of their first jobs.
  consuming func schedule() {
    for batch in batches {
      if batch.jobs.count == 1 {
        batch.context.schedule(batch.jobs[0])
      } else {
        batch.context.schedule(batch: batch.jobs)
      }
    }
  }
}
