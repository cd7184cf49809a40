public import PromiseCore

/// The default context, on which links without `on:` run: in parallel, never on the main thread.
///
/// Handlers of one promise may overlap and may run in any order (rule 2.2). They share as many threads as there are
/// processors, and a chain of links mostly stays on one of them. A handler may block its thread: another stands in for
/// it after some milliseconds, for each of up to 192 at a time. One that computes for long takes a processor for that
/// time.
///
/// The threads are Dispatch's, and go back to it when there is nothing to do. See ``ExecutionContext/pool``.
public final class PoolContext: ExecutionContext {
  static let shared = PoolContext(width: processorCount)

  private enum Workers {
    case threads(Pool)
    /// A test's.
    case world(any ExecutionContext)
  }

  private let workers: Workers

  private init(_ workers: Workers) { self.workers = workers }

  /// A pool of its own, with so many threads that do not block.
  package convenience init(width: Int) { self.init(.threads(Pool(width: width))) }

  /// The pool of a world: its jobs run on a context of the world's.
  package convenience init(runningOn context: any ExecutionContext) { self.init(.world(context)) }

  /// Runs the job later, beside others.
  public func schedule(_ job: consuming Job) {
    switch workers {
    case .threads(let pool): pool.schedule(job)
    case .world(let context): context.schedule(job)
    }
  }

  /// Runs the jobs later, beside one another.
  public func schedule(batch: consuming [Job]) {
    switch workers {
    case .threads(let pool): pool.schedule(batch: batch)
    case .world(let context): context.schedule(batch: batch)
    }
  }

  /// The pool: handlers of one settlement come to it together, and run beside one another.
  public var identity: ObjectIdentifier? {
    switch workers {
    case .threads: ObjectIdentifier(self)
    case .world(let context): context.identity
    }
  }
}

extension ExecutionContext where Self == PoolContext {
  /// The default context, on which links without `on:` run: in parallel, never on the main thread.
  public static var pool: PoolContext { Worlds.current?.pool ?? .shared }
}
