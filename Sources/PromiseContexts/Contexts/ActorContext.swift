public import PromiseCore

/// The context of `isolatedTo:`, which runs handlers on an actor.
///
/// Handlers of one settlement reach the actor in one hop, in order (rule 2.2). The context retains the actor until they
/// have run. The Tasks are detached, so that handlers do not inherit the task-local values and the priority of the
/// settling thread (rule 8.3).
@usableFromInline
package final class ActorContext: ExecutionContext {
  private let actor: any Actor
  private let executor = Diagnostics.testEnvironment?.executor

  @usableFromInline
  package init(_ actor: any Actor) { self.actor = actor }

  @usableFromInline
  package func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }

  @usableFromInline
  package func schedule(batch: consuming [Job]) { scheduleUnchecked(batch: batch.compactMap { $0.takeUnchecked() }) }

  @usableFromInline
  package func scheduleEngineJob(_ job: consuming EngineJob) {
    let job = job.take()
    Task.detached(executorPreference: executor?.naming(job.site)) { await self.actor.run([job]) }
  }

  @usableFromInline
  package func scheduleEngineJobs(_ jobs: consuming EngineJobs) {
    let jobs = jobs.take()
    Task.detached(executorPreference: executor?.naming(jobs.first?.site)) { await self.actor.run(jobs) }
  }

  @usableFromInline package var identity: ObjectIdentifier? { ObjectIdentifier(actor) }

  /// `true` in a handler on the actor, in debug builds. Otherwise `nil`, because nothing else is known.
  @usableFromInline package var isCurrent: Bool? { ExclusiveExecution.isRunning(on: actor) ? true : nil }

  /// Returns an async handler that does not begin if its link is settled while the actor is busy (rule 2.5).
  ///
  /// Never specialised, as the async functions of the links in PromiseCore.
  @_alwaysEmitIntoClient @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  static func unlessSettled<A: Actor, Input: Sendable, Output: Sendable>(
    _ actor: A, _ handler: @escaping @Sendable (isolated A, Input) async throws -> Output
  ) -> @Sendable (Input) async throws -> Output {
    { input in try await begin(handler, on: actor, with: input) }
  }

  @_alwaysEmitIntoClient @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  static func begin<A: Actor, Input: Sendable, Output: Sendable>(
    _ handler: @Sendable (isolated A, Input) async throws -> Output, on actor: isolated A, with input: Input
  ) async throws -> Output {
    try MainContext.checkIsWanted()
    return try await handler(actor, input)
  }
}

extension ActorContext: CustomStringConvertible {
  @usableFromInline package var description: String { "the actor \(type(of: actor))" }
}

extension Actor {
  fileprivate func run(_ jobs: [UncheckedJob]) {
    ExclusiveExecution.run(on: self) {
      for job in jobs { job.run() }
    }
  }
}
