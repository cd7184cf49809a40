public import PromiseCore
import Synchronization

/// The default context: handlers without `on:` run on it, in parallel, and never on the main thread.
///
/// Handlers of one promise may overlap, and may run in any order (rule 2.2). There are as many threads as processors,
/// but at most 128, and the handlers of a chain mostly run on the same thread. A handler that computes for long
/// occupies a processor for that time.
///
/// Handlers run at the default quality of service, whatever the quality of service of the settling thread is (rule
/// 2.9). To choose another one, name a queue or a Task, for example with ``PromiseCore/ExecutionContext/global(qos:)``.
///
/// A handler may block its thread. The pool then adds a thread after a few milliseconds. It adds the thread later if
/// the handler computes between its waits, or if the system does not report what the thread does. There are at most 192
/// threads. If handlers block all of them and another handler waits, the pool prints a notice once to standard error.
///
/// The threads belong to Dispatch, and return to it when there is nothing to do. See
/// ``PromiseCore/ExecutionContext/pool``.
public final class PoolContext: ExecutionContext, NamedContext {
  package var contextName: String { "the pool" }

  static let shared = PoolContext(width: processorCount)

  /// `nil` if a test environment runs the jobs.
  private let pool: Pool?
  private let testContext: (any ExecutionContext)?

  /// Creates a context with a pool of its own.
  ///
  /// - Parameters:
  ///   - width: the number of threads that run at a time, not counting those that handlers block. At most two thirds
  ///     of the limit, so that there are threads to replace those that handlers block.
  ///   - limit: the greatest number of threads, counting those that handlers block. Dispatch has 255 threads for all
  ///     queues of one quality of service on Linux. Some of them must be left for other serial queues, for which the
  ///     blocking handlers may wait.
  ///   - notice: reports that the limit is reached.
  package init(width: Int, limit: Int = 192, notice: PoolLimitNotice? = nil) {
    pool = Pool(width: width, limit: limit, notice: notice ?? .shared)
    testContext = nil
  }

  /// Creates the pool of a test environment, whose jobs run on another context.
  package init(runningOn context: any ExecutionContext) {
    pool = nil
    testContext = context
  }

  /// Runs the job later. Other jobs may run at the same time.
  public func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }

  @_documentation(visibility: internal)
  public func scheduleEngineJob(_ job: consuming EngineJob) {
    if let pool { pool.schedule(job.take()) } else { testContext?.scheduleEngineJob(job) }
  }

  /// Runs the jobs later. They may run at the same time.
  public func schedule(batch: consuming [Job]) {
    scheduleUnchecked(batch: batch.compactMap { $0.takeUnchecked() })
  }

  @_documentation(visibility: internal)
  public func scheduleEngineJobs(_ jobs: consuming EngineJobs) {
    if let pool { pool.schedule(batch: jobs.take()) } else { testContext?.scheduleEngineJobs(jobs) }
  }

  /// The identity of the pool. Handlers of one settlement are scheduled as one batch, and may run at the same time.
  public var identity: ObjectIdentifier? { pool == nil ? testContext?.identity : ObjectIdentifier(self) }
}

extension PoolContext {
  /// Whether a thread of a pool that has no handler to run looks for another one for a moment, before it goes to sleep.
  ///
  /// A handler that comes within that time starts at once, and the thread that schedules it need not wake another one.
  /// That helps programs in which handlers come one by one at short intervals. The search costs processor time, at most
  /// some tens of microseconds after the last handler, and less if it finds nothing several times. At most one thread
  /// of a pool searches, and on a machine with one processor none does.
  ///
  /// `true` by default, except on Apple platforms, where energy matters more. A change affects handlers that are
  /// scheduled later. A test world does not search.
  public static var searchesBeforeSleeping: Bool {
    get { maySearch.load(ordering: .relaxed) }
    set { maySearch.store(newValue, ordering: .relaxed) }
  }

  // Relaxed, because the flag publishes no other memory.
  #if canImport(Darwin)
    private static let maySearch = Atomic<Bool>(false)
  #else
    private static let maySearch = Atomic<Bool>(true)
  #endif
}

extension ExecutionContext where Self == PoolContext {
  /// The default context: handlers without `on:` run on it, in parallel, and never on the main thread.
  public static var pool: PoolContext { Diagnostics.executionTestEnvironment?.pool ?? .shared }
}
