/// A place where handlers run: a queue, an actor, a pool, a run loop, a test's clock.
///
/// A context is asked to run jobs; it runs each once, some time later, and **never inside the call** that scheduled it
/// (rule 2.1). It may be asked from any thread. It says where handlers run, and so whether they may touch what they
/// captured at the same time as others do; the guide "Execution contexts" lists those that the library provides.
///
/// A context that can no longer run a job rejects it with ``Job/reject(_:)``, or releases it: then the promise derived by it
/// is rejected with ``PromiseError/contextDropped(createdAt:)`` (rule 6.2).
///
/// - Important: A context must not hold a lock of its own while it rejects, releases or runs a job. All three settle a promise in the
///   call, and so may call ``schedule(_:)`` of any context in the same thread, also of this one: that call would wait for the
///   lock for ever. Move the jobs out under the lock, and reject or release them after it.
///
/// Contexts are classes: a context *is* somewhere, so two variables that hold the same one mean the same place, and a link
/// stores it in two words (decision 0003).
public protocol ExecutionContext: AnyObject, Sendable {
  /// Runs the job later.
  func schedule(_ job: consuming Job)

  /// Runs jobs of one settlement later, in their order. The default schedules each.
  func schedule(batch: consuming [Job])

  /// Handlers of one settlement whose contexts have equal identities travel together, by ``schedule(batch:)``, in the order
  /// in which they were attached (rule 2.2). `nil`, the default: they never do, and may run at the same time.
  var identity: ObjectIdentifier? { get }

  /// Whether the calling thread occupies this context, so that no job can run here before it has gone. `nil`, the
  /// default: there is no way to tell, or others can run beside it.
  ///
  /// Who is about to block asks, so as not to block what it waits for (rule 7.2).
  var isCurrent: Bool? { get }
}

extension ExecutionContext {
  /// Schedules each job, in order.
  public func schedule(batch: consuming [Job]) {
    for job in batch { schedule(job) }
  }

  /// `nil`: handlers never travel together.
  public var identity: ObjectIdentifier? { nil }

  /// `nil`: there is no way to tell.
  public var isCurrent: Bool? { nil }
}
