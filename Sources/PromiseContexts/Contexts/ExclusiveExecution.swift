import PromiseCore

/// Records, in debug builds, which actor or queue the running handler has to itself. A blocking wait checks it, to
/// detect a deadlock (rule 7.2).
struct ExclusiveExecution: Sendable {
  #if DEBUG
    @TaskLocal private static var current: ExclusiveExecution?

    private let resource: ObjectIdentifier
    /// The Task of the handler. A Task that the handler creates inherits the task-local value, but does not run on the
    /// resource.
    private let task = runningTask

    /// Calls the closure, which has the resource to itself.
    static func run(on resource: AnyObject, _ body: () -> Void) {
      $current.withValue(ExclusiveExecution(resource: ObjectIdentifier(resource))) { body() }
    }

    /// Returns whether the caller is a handler that has the resource to itself.
    static func isRunning(on resource: AnyObject) -> Bool {
      current.map { $0.resource == ObjectIdentifier(resource) && $0.task == runningTask } ?? false
    }
  #else
    @inline(__always) static func run(on resource: AnyObject, _ body: () -> Void) { body() }

    static func isRunning(on resource: AnyObject) -> Bool { false }
  #endif
}
