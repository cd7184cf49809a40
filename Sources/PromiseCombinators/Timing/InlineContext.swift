import PromiseCore

/// Runs a handler of the library's own inside the call that settles its promise. Not for handlers of users' (rule 2.1).
final class InlineContext: ExecutionContext {
  static let shared = InlineContext()

  func schedule(_ job: consuming Job) { job.run() }
}
