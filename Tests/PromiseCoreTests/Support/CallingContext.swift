import PromiseCore

/// A context that calls a body when it receives a job, and then runs the job at once.
final class CallingContext: ExecutionContext {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func schedule(_ job: consuming Job) {
    body()
    job.run()
  }
}
