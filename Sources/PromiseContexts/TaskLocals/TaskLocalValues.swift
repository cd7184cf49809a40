import PromiseCore

/// The task-local values and the priority of the code that created this object, for a closure that is called later,
/// perhaps on the thread of another client (rule 8.3).
///
/// Swift copies the values of the running code only into a Task that this code creates. So this object creates one. Its
/// executor keeps it from starting, and later runs it to its end inside ``run(_:)``, on the calling thread. The values
/// are retained until then.
package final class TaskLocalValues: Sendable {
  private let task = HeldTask()

  /// Captures the values of the calling code.
  package init() { Task(executorPreference: task) { [task] in task.callBody() } }

  /// Calls the body with the values, on the calling thread. A Task that the body creates inherits them, and the
  /// priority. May be called once.
  package func run<Result>(_ body: () -> Result) -> Result { task.run(body) }

  /// Calls the body without any task-local values of a client. The test environment stays in place.
  package static func withNone<Result>(_ body: () -> Result) -> Result {
    let scope = DiagnosticsScope.current
    let task = HeldTask()
    Task.detached(executorPreference: task) { task.callBody() }
    return task.run { if let scope { scope.bind(body) } else { body() } }
  }

  // A Task that was never run would never be deallocated.
  deinit { task.runIfHeld {} }
}

/// The executor of a Task that calls one body. It keeps the Task until the body is known.
private final class HeldTask: TaskExecutor, @unchecked Sendable {
  // `@unchecked Sendable`, because one thread after another uses the variables: the one that creates the Task, and the
  // one that runs it.
  private var job: UnownedJob?
  private var body: (() -> Void)?

  func enqueue(_ job: consuming ExecutorJob) { self.job = UnownedJob(job) }

  /// Runs the Task to its end, which calls the body.
  func run<Result>(_ body: () -> Result) -> Result {
    var result: Result?
    runIfHeld { result = body() }
    guard let result else { preconditionFailure("task-local values are used twice") }
    return result
  }

  /// Runs the Task to its end, unless it was run before.
  func runIfHeld(_ body: () -> Void) {
    guard let job = job.take() else { return }
    withoutActuallyEscaping(body) { body in
      self.body = body
      // Safe, because the job was enqueued here, and is run once. The Task does not suspend, so it has ended when this
      // call returns.
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
      self.body = nil
    }
  }

  /// The work of the Task.
  func callBody() { body?() }
}
