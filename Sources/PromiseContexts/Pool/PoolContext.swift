import Dispatch
public import PromiseCore

/// The default context, on which links without `on:` run: in parallel, never on the main thread.
///
/// Handlers of one promise may overlap and may run in any order (rule 2.2). See ``ExecutionContext/pool``.
public final class PoolContext: ExecutionContext {
  static let shared = PoolContext()

  private let queue = DispatchQueue.global()

  private init() {}

  /// Runs the job later, beside others.
  public func schedule(_ job: consuming Job) {
    let job = consume job
    queue.async { job.run() }
  }
}

extension ExecutionContext where Self == PoolContext {
  /// The default context, on which links without `on:` run: in parallel, never on the main thread.
  public static var pool: PoolContext { .shared }
}
