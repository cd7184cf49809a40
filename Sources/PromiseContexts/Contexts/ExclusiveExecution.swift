import PromiseCore

/// What the running handler has to itself, in debug builds: an actor, or a queue. It is asked for before a wait (rule 7.2).
struct ExclusiveExecution: Sendable {
  #if DEBUG
    @TaskLocal private static var current: ExclusiveExecution?

    private let resource: ObjectIdentifier
    /// A Task that the handler makes inherits the value, but is another, and elsewhere.
    private let task = runningTask

    static func run(on resource: AnyObject, _ body: () -> Void) {
      $current.withValue(ExclusiveExecution(resource: ObjectIdentifier(resource))) { body() }
    }

    static func isRunning(on resource: AnyObject) -> Bool {
      current.map { $0.resource == ObjectIdentifier(resource) && $0.task == runningTask } ?? false
    }
  #else
    @inline(__always) static func run(on resource: AnyObject, _ body: () -> Void) { body() }

    static func isRunning(on resource: AnyObject) -> Bool { false }
  #endif
}
