/// A replacement for the environment of the code under test. It is notified of every promise that is made in it, and
/// provides the executor of Tasks.
///
/// A ``DiagnosticsScope`` binds the environment to a call, or to a Task and its children. Promises that are made in the
/// environment bind it again for their handlers.
package protocol TestEnvironment: AnyObject, Sendable {
  /// The executor of the library's own Tasks, which are those of `Promise.task`, of async handlers, and of handlers on
  /// actors.
  var executor: any TestTaskExecutor { get }

  /// Where owners' hooks run that no call of `cancel` runs (rule 4.5).
  var hookContext: any ExecutionContext { get }

  /// Called when a promise was made here, on the thread that made it, before any other thread knows the promise, and
  /// under no lock.
  ///
  /// From now on other threads may read the state of the promise. They must not read the fields of its link, because
  /// these may not be set yet.
  func didCreate(_ promise: AnyPromise)

  /// Called before a Task starts that settles a promise made here and whose closure is isolated to an actor.
  func willRunTask(settling promise: AnyPromise, on actor: any Actor)
}

extension TestEnvironment {
  /// Does nothing.
  package func willRunTask(settling promise: AnyPromise, on actor: any Actor) {}
}

extension Diagnostics {
  /// The test environment of the calling code, if any.
  ///
  /// While no scope of any kind is in use, this is one load.
  package static var testEnvironment: (any TestEnvironment)? {
    isActive ? DiagnosticsScope.current?.testEnvironment : nil
  }
}

/// The task executor of a test environment.
package protocol TestTaskExecutor: TaskExecutor {
  /// Returns an executor that runs Tasks as this executor does, and whose Tasks are named by the creation site in
  /// reports.
  func naming(_ site: CreationSite?) -> any TaskExecutor
}
