public import PromiseCore

/// An actor as a context: what `isolatedTo:` schedules on. Handlers of one settlement go there in one hop, in order
/// (rule 2.2). The actor is kept alive until they have run.
///
/// The Tasks are detached: the task-local values and the priority of the thread that settles the promise are no business of the
/// handlers' (rule 8.3).
@usableFromInline
final class ActorContext: ExecutionContext {
  private let actor: any Actor
  private let executor = Worlds.taskExecutor

  @usableFromInline
  init(_ actor: any Actor) { self.actor = actor }

  @usableFromInline
  func schedule(_ job: consuming Job) {
    let job = consume job
    Task.detached(executorPreference: executor) { [actor] in await actor.run([job]) }
  }

  @usableFromInline
  func schedule(batch: consuming [Job]) {
    let jobs = consume batch
    Task.detached(executorPreference: executor) { [actor] in await actor.run(jobs) }
  }

  @usableFromInline var identity: ObjectIdentifier? { ObjectIdentifier(actor) }

  #if DEBUG
    /// The actor whose handlers run in this Task.
    @TaskLocal fileprivate static var occupied: ObjectIdentifier?

    /// Known of handlers only.
    @usableFromInline var isCurrent: Bool? { Self.occupied == identity ? true : nil }
  #endif
}

extension Actor {
  fileprivate func run(_ jobs: [Job]) {
    #if DEBUG
      ActorContext.$occupied.withValue(ObjectIdentifier(self)) {
        for job in jobs { job.run() }
      }
    #else
      for job in jobs { job.run() }
    #endif
  }
}
