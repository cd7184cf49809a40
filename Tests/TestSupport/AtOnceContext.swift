public import PromiseCore

/// A context that runs each job inside the call that schedules it. It is for hooks of owners, in tests that ask whether
/// a hook runs and not where (rule 4.5).
public final class AtOnceContext: ExecutionContext {
  fileprivate static let shared = AtOnceContext()

  public func schedule(_ job: consuming Job) { job.run() }
}

extension ExecutionContext where Self == AtOnceContext {
  public static var atOnce: AtOnceContext { .shared }
}
