/// A test's replacement for the surroundings of the code under test. It is told of every promise made in it, and provides the
/// executor of Tasks.
///
/// A ``DiagnosticsScope`` binds the environment to a call or to a Task and its children. Promises that are made in the environment
/// bind it again for their handlers.
package protocol TestEnvironment: AnyObject, Sendable {
  /// Where the library's own Tasks run, which are those of `Promise.task`, of async handlers, and of handlers on actors.
  var executor: any TestTaskExecutor { get }

  /// A promise was made here. Called in the thread that made it, before any other thread knows the promise, and under no lock.
  ///
  /// From now on other threads may read its state. They must not read what will settle the promise, which may not be set yet.
  func didCreate(_ promise: AnyPromise)

  /// Called before a promise made here is linked to a source that was not made here. The source's list keeps some cancelled
  /// links for a while, and with them their promises (rule 4.9).
  func willDerive(from source: AnyPromise)

  /// Called before the Task starts that settles a promise made here, and whose closure is isolated to an actor.
  func willRunTask(settling promise: AnyPromise, on actor: any Actor)
}

extension TestEnvironment {
  /// Does nothing.
  package func willDerive(from source: AnyPromise) {}

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
  /// Returns an executor that runs Tasks as this one does, and whose Tasks reports name by the line.
  func naming(_ site: CreationSite?) -> any TaskExecutor
}
