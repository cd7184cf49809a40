import PromiseCore
import Synchronization

/// Records, in debug builds, which actor or queue the running handler has to itself. A blocking wait checks it, to
/// detect a deadlock (rule 7.2).
final class ExclusiveExecution: Sendable {
  #if DEBUG
    @TaskLocal private static var current: ExclusiveExecution?

    private let resource: ObjectIdentifier
    /// The Task of the handler. A Task that the handler creates inherits the task-local value, but does not run on the
    /// resource.
    private let task = runningTask
    /// The handler has returned. A later Task may have the same identity. Relaxed, because it publishes nothing.
    private let hasEnded = Atomic<Bool>(false)

    private init(of resource: AnyObject) { self.resource = ObjectIdentifier(resource) }

    /// Calls the closure, which has the resource to itself.
    static func run(on resource: AnyObject, _ body: () -> Void) {
      let execution = ExclusiveExecution(of: resource)
      $current.withValue(execution) { body() }
      execution.hasEnded.store(true, ordering: .relaxed)
    }

    /// Returns whether the caller is a handler that has the resource to itself.
    static func isRunning(on resource: AnyObject) -> Bool {
      guard let current, current.resource == ObjectIdentifier(resource), current.task == runningTask else {
        return false
      }
      return !current.hasEnded.load(ordering: .relaxed)
    }
  #else
    @inline(__always) static func run(on resource: AnyObject, _ body: () -> Void) { body() }

    static func isRunning(on resource: AnyObject) -> Bool { false }
  #endif
}
