import Synchronization

/// One handler that is ready to run, for an ``ExecutionContext``.
///
/// A job runs once. Running it again does nothing (rule 2.1). Releasing a job that has not run rejects the promise
/// derived by its handler with ``PromiseError/contextDropped(createdAt:)`` (rule 6.2).
///
/// That rejection happens on the releasing thread, inside the release, and schedules the handlers that wait for the
/// promise. So a context must not release a job while it holds a lock that its ``ExecutionContext/schedule(_:)`` takes.
public struct Job: Sendable {
  private let box: JobBox

  init(_ job: UncheckedJob) { box = JobBox(job) }

  /// Runs the handler on the calling thread, then settles the promise derived by it.
  public func run() { box.take()?.run() }

  /// Takes the handler out of the job, for a context that cannot lose it. Returns `nil` if it was run or taken before.
  package func takeUnchecked() -> UncheckedJob? { box.take() }

  /// Takes the handler out of the job and puts it into a new one, which no other code has. Returns `nil` if it was run
  /// or taken before.
  package func taken() -> Job? { box.take().map { Job($0) } }

  /// Releases the handler without running it, and rejects the promise derived by it with an error.
  ///
  /// A context calls this when it cannot run the job and knows the reason. If the handler is an observer, there is no
  /// promise to reject. Does nothing if the job was run or rejected before, or if the derived promise was cancelled.
  ///
  /// The promise is rejected when this returns, unless the call is nested in another such call on the same thread. Then
  /// the outer call rejects it before it returns. So a chain of any length is rejected in a loop (rule 6.4). The
  /// rejection schedules the handlers that wait for the derived promise, perhaps on the same context, so the caller
  /// must hold no lock. May be called from any thread.
  ///
  /// - Parameter error: the error of the derived promise, instead of ``PromiseError/contextDropped(createdAt:)``.
  public func reject(_ error: any Error) { box.take()?.reject { _ in error } }

  /// Rejects the promise derived by a handler that has started and will never return, because its thread ended inside
  /// it. Does nothing if that promise is settled, or if the handler is an observer.
  package func rejectUnfinished(_ error: any Error) { box.rejectUnreturned(error) }

  /// Runs the job as `run()` does, and calls the closure when the handler has returned, before the derived promise is
  /// settled.
  package func run(handlerReturned: () -> Void) { box.take()?.run(handlerReturned: handlerReturned) }
}

/// Owns the job of an entry, and notices that it is dropped.
private final class JobBox: Sendable {
  private let job: UncheckedJob
  private let isTaken = Atomic<Bool>(false)

  init(_ job: UncheckedJob) { self.job = job }

  deinit {
    // Relaxed, because no other thread refers to this object.
    if isTaken.load(ordering: .relaxed) { return }
    job.rejectDropped()
  }

  /// Returns the job to the first caller. Relaxed, because each thread has got this object from the thread that made
  /// it.
  func take() -> UncheckedJob? { isTaken.exchange(true, ordering: .relaxed) ? nil : job }

  /// The handler has not returned, so the thread that runs it still owns the reference to the entry.
  func rejectUnreturned(_ error: any Error) { job.entry.with { $0.rejectUnreturned(error) } }

  /// The entry, unless the job was taken. Only the sole holder of the job may read it.
  var entry: AnyPromise? { isTaken.load(ordering: .relaxed) ? nil : job.entry.strong }
}

/// A job on its way from the engine to a context.
///
/// Only the library can run it. It cannot be copied, so a context cannot run it twice. If it is dropped, its promise is
/// rejected (rule 6.2).
@_documentation(visibility: internal)
@frozen public struct EngineJob: ~Copyable, Sendable {
  @usableFromInline let job: UncheckedJob

  @_alwaysEmitIntoClient
  package init(_ job: UncheckedJob) { self.job = job }

  deinit { job.rejectDropped() }

  @_alwaysEmitIntoClient
  package consuming func take() -> UncheckedJob {
    let job = job
    discard self
    return job
  }
}

/// The jobs of one settlement on their way from the engine to a context. See ``EngineJob``.
@_documentation(visibility: internal)
@frozen public struct EngineJobs: ~Copyable, Sendable {
  @usableFromInline var jobs: [UncheckedJob]

  @_alwaysEmitIntoClient
  package init(_ jobs: [UncheckedJob]) { self.jobs = jobs }

  deinit {
    for job in jobs { job.rejectDropped() }
  }

  @_alwaysEmitIntoClient
  package consuming func take() -> [UncheckedJob] {
    let taken = jobs
    jobs = []
    return taken
  }
}

extension Job {
  /// Describes the handler by the promise that it settles or observes: its type, label, operator and creation site.
  ///
  /// Only the sole holder of the job may read this, because running the job releases what is read here.
  package var label: String { box.entry?.jobLabel ?? "observer" }

  /// The settled promise that waits for the handler, unless that is a hook. Only the sole holder of the job may read
  /// this, as for ``label``.
  package var source: AnyPromise? { box.entry?.sourceOfScheduledHandler }

  /// The creation site of the link. Only the sole holder of the job may read this, as for ``label``.
  package var site: CreationSite? { box.entry.map { CreationSite($0.site) } }
}

extension UncheckedJob {
  /// Ends the job, which its context has dropped (rule 6.2).
  @usableFromInline
  func rejectDropped() { reject { PromiseError.contextDropped(createdAt: CreationSite($0.site)) } }

  /// The creation site of the link. Only the holder of the job may read this.
  package var site: CreationSite { entry.with { CreationSite($0.site) } }
}

extension AnyPromise {
  fileprivate final var jobLabel: String {
    if traits.isOfCleanup {
      // After a cancellation, an observer runs the handler of the settled link.
      let link = isObserver ? waitingSource ?? self : self
      return "cleanup of \(link.name), \(link.origin)"
    }
    if let promise = settledByHandler { return "handler of \(promise.name), \(promise.origin)" }
    let kind = traits.contains(.runsHooks) ? "hooks" : traits.operation?.name ?? "observer"
    guard let source = waitingSource else { return "\(kind), \(createdAt)" }
    return "\(kind) of \(source.name), \(source.createdAt)"
  }
}
