public import PromiseCore

/// A context that calls a body when it receives a job, and then passes the job to another context.
public final class CallingContext: ExecutionContext {
  private let context: any ExecutionContext
  private let body: @Sendable () -> Void

  public init(_ context: any ExecutionContext = .atOnce, _ body: @escaping @Sendable () -> Void) {
    (self.context, self.body) = (context, body)
  }

  public func schedule(_ job: consuming Job) {
    body()
    context.schedule(job)
  }
}
