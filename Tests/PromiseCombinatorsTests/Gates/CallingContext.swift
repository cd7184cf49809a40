import PromiseCombinators
import TestSupport

/// A context that calls a body when it receives its first job. Another context runs the jobs.
final class CallingContext: ExecutionContext {
  private let context: any ExecutionContext
  private let body: Locked<(@Sendable () -> Void)?>

  init(_ context: any ExecutionContext, _ body: @escaping @Sendable () -> Void) {
    self.context = context
    self.body = Locked(body)
  }

  func schedule(_ job: consuming Job) {
    body.withLock { $0.take() }?()
    context.schedule(job)
  }
}
