/// A context that runs each job in a detached Task of its own. Hooks run here in a program that contains PromiseCore
/// alone (rule 4.5).
package final class DetachedContext: ExecutionContext {
  /// The pool of PromiseContexts, or a `DetachedContext` if the program does not contain that module.
  package static let pool: any ExecutionContext = ContextServices.registered?.pool ?? DetachedContext()

  package init() {}

  package func scheduleUnchecked(_ job: UncheckedJob) { Task.detached { job.run() } }

  package func schedule(_ job: consuming Job) {
    if let job = job.takeUnchecked() { scheduleUnchecked(job) }
  }
}
