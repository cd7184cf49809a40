public import PromiseCore

/// The default context, on which links without `on:` run: in parallel, never on the main thread.
///
/// Handlers of one promise may overlap and may run in any order (rule 2.2). They share as many threads as there are
/// processors, and a chain of links mostly stays on one of them. A handler that computes for long takes a processor for
/// that time.
///
/// A handler may block its thread. The pool then adds a thread after some milliseconds; later if the handler computes
/// between its waits, or if the system does not tell what the thread does. There are at most 192 threads. If handlers block all
/// of them and another handler waits, the pool says so once on standard error.
///
/// The threads are Dispatch's, and go back to it when there is nothing to do. See ``PromiseCore/ExecutionContext/pool``.
public final class PoolContext: ExecutionContext {
  static let shared = PoolContext(width: processorCount)

  /// `nil`: a test's world does the work.
  private let pool: Pool?
  private let testContext: (any ExecutionContext)?

  /// Creates a pool of its own.
  ///
  /// - Parameters:
  ///   - width: how many threads run at once, not counting those that handlers block.
  ///   - limit: how many threads there are at most, counting those that handlers block. Dispatch has 255 threads for all queues of one
  ///     quality of service on Linux. Some must be left to other serial queues, which the handlers that block may wait for.
  ///   - notice: says that the limit is reached.
  package init(width: Int, limit: Int = 192, notice: PoolLimitNotice? = nil) {
    pool = Pool(width: width, limit: limit, notice: notice ?? .shared)
    testContext = nil
  }

  /// The pool of a testContext: its jobs run on a context of the world's.
  package init(runningOn context: any ExecutionContext) {
    pool = nil
    testContext = context
  }

  /// Runs the job later, beside others.
  public func schedule(_ job: consuming Job) {
    if let pool { pool.schedule(consume job) } else { testContext?.schedule(consume job) }
  }

  /// Runs the jobs later, beside one another.
  public func schedule(batch: consuming [Job]) {
    if let pool { pool.schedule(batch: consume batch) } else { testContext?.schedule(batch: consume batch) }
  }

  /// The pool: handlers of one settlement come to it together, and run beside one another.
  public var identity: ObjectIdentifier? { pool == nil ? testContext?.identity : ObjectIdentifier(self) }
}

extension ExecutionContext where Self == PoolContext {
  /// The default context, on which links without `on:` run: in parallel, never on the main thread.
  public static var pool: PoolContext { Diagnostics.executionTestEnvironment?.pool ?? .shared }
}
