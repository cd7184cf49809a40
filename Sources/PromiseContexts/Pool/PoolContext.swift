public import PromiseCore

/// The default context, on which links without `on:` run: in parallel, never on the main thread.
///
/// Handlers of one promise may overlap and may run in any order (rule 2.2). They share as many threads as there are
/// processors, and a chain of links mostly stays on one of them. A handler may block its thread: another stands in for
/// it after some milliseconds, for each of up to 192 at a time; later if it computes between its waits. One that
/// computes for long takes a processor for that time.
///
/// The threads are Dispatch's, and go back to it when there is nothing to do. See ``PromiseCore/ExecutionContext/pool``.
public final class PoolContext: ExecutionContext {
  static let shared = PoolContext(width: processorCount)

  /// `nil`: a test's world does the work.
  private let pool: Pool?
  private let world: (any ExecutionContext)?

  /// A pool of its own, with so many threads that do not block.
  package init(width: Int) {
    pool = Pool(width: width)
    world = nil
  }

  /// The pool of a world: its jobs run on a context of the world's.
  package init(runningOn context: any ExecutionContext) {
    pool = nil
    world = context
  }

  /// Runs the job later, beside others.
  public func schedule(_ job: consuming Job) {
    if let pool { pool.schedule(consume job) } else { world?.schedule(consume job) }
  }

  /// Runs the jobs later, beside one another.
  public func schedule(batch: consuming [Job]) {
    if let pool { pool.schedule(batch: consume batch) } else { world?.schedule(batch: consume batch) }
  }

  /// The pool: handlers of one settlement come to it together, and run beside one another.
  public var identity: ObjectIdentifier? { pool == nil ? world?.identity : ObjectIdentifier(self) }
}

extension ExecutionContext where Self == PoolContext {
  /// The default context, on which links without `on:` run: in parallel, never on the main thread.
  public static var pool: PoolContext { Worlds.current?.pool ?? .shared }
}
