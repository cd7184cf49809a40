/// A place where handlers run, such as a queue, an actor, a pool, a run loop or the clock of a test.
///
/// A context runs each job that it is given once, some time later, and **never inside the call** that scheduled it
/// (rule 2.1). Jobs may be scheduled from any thread. The context decides whether handlers may run in parallel, and so
/// whether they may share mutable state. The guide "Where handlers run" lists the contexts that the library provides.
///
/// The library retains a context until it has scheduled the handlers there, and not until these have run. So a context
/// that nothing else retains keeps itself alive while jobs wait, for example by capturing itself where it runs them.
///
/// A context that can no longer run a job rejects it with ``Job/reject(_:)`` or releases it. Releasing a job rejects
/// the promise derived by its handler with ``PromiseError/contextDropped(createdAt:)`` (rule 6.2).
///
/// - Important: A context must not hold a lock of its own while it rejects, releases or runs a job. Each of these
///   settles a promise inside the call, and so may call ``schedule(_:)`` of any context on the same thread, including
///   this context. That call would deadlock on the lock. Move the jobs out under the lock, and reject or release them
///   after unlocking.
///
/// Contexts are classes, because a context has an identity. Two variables that hold the same object denote the same
/// place. A link stores a class reference in two words.
public protocol ExecutionContext: AnyObject, Sendable {
  /// Schedules a job to run later, outside this call.
  func schedule(_ job: consuming Job)

  /// Schedules jobs of one settlement to run later, in their order. The default schedules each job separately.
  func schedule(batch: consuming [Job])

  /// Identifies the place where this context runs its jobs.
  ///
  /// Handlers of one settlement whose contexts have equal identities are scheduled together with ``schedule(batch:)``,
  /// in the order in which they were attached (rule 2.2). If the identity is `nil`, which is the default, each handler
  /// is scheduled separately.
  var identity: ObjectIdentifier? { get }

  /// Whether the calling thread occupies this context, so that no job can run here until that thread leaves it. `nil`,
  /// which is the default, means that the context cannot tell, or that other threads can run jobs here at the same
  /// time.
  ///
  /// A blocking wait reads this before it blocks, to detect a deadlock (rule 7.2).
  var isCurrent: Bool? { get }

  /// Schedules a job of the engine. Only contexts of the library implement this. The default passes the job on to
  /// ``schedule(_:)``.
  @_documentation(visibility: internal)
  func scheduleEngineJob(_ job: consuming EngineJob)

  /// Schedules jobs of one settlement, as ``schedule(batch:)`` does.
  @_documentation(visibility: internal)
  func scheduleEngineJobs(_ jobs: consuming EngineJobs)
}

extension ExecutionContext {
  /// Schedules each job separately, in order.
  public func schedule(batch: consuming [Job]) {
    for job in batch { schedule(job) }
  }

  @_documentation(visibility: internal)
  public func scheduleEngineJob(_ job: consuming EngineJob) { schedule(Job(job.take())) }

  @_documentation(visibility: internal)
  public func scheduleEngineJobs(_ jobs: consuming EngineJobs) { schedule(batch: jobs.take().map { Job($0) }) }

  @_alwaysEmitIntoClient
  package func scheduleUnchecked(_ job: UncheckedJob) { scheduleEngineJob(EngineJob(job)) }

  @_alwaysEmitIntoClient
  package func scheduleUnchecked(batch: [UncheckedJob]) { scheduleEngineJobs(EngineJobs(batch)) }

  /// `nil`: each handler is scheduled separately.
  public var identity: ObjectIdentifier? { nil }

  /// `nil`: the context cannot tell.
  public var isCurrent: Bool? { nil }
}
