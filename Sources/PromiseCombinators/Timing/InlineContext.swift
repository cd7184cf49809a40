import PromiseCore

/// Runs a handler inside the call that settles its promise. Only the library's own handlers may use it (rule 2.1).
final class InlineContext: ExecutionContext {
  static let shared = InlineContext()

  func schedule(_ job: consuming Job) { job.run() }
}
