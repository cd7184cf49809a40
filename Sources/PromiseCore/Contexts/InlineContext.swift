/// Runs a handler inside the call that settles its promise. Only the library's own handlers may use it (rule 2.1).
@usableFromInline
package final class InlineContext: ExecutionContext {
  @usableFromInline package static let shared = InlineContext()

  @usableFromInline
  package func schedule(_ job: consuming Job) { job.run() }
}
