/// What a test puts around the code that it runs: it hears of every promise made in it, and says where Tasks run.
///
/// Bound to a Task, and its children, or to one call, by the ``DiagnosticsScope`` that it belongs to; and brought to
/// handlers by the promises made there.
package protocol Surroundings: AnyObject, Sendable {
  /// Where Tasks run that the library makes: those of `Promise.task`, of async handlers, and of handlers on actors.
  var taskExecutor: any TaskExecutor { get }

  /// A promise was made here, which nobody else knows yet. Called in the thread that made it, under no lock. From now
  /// on others may look at its state; not at what will settle it, which it may not have yet.
  func wasMade(_ promise: AnyPromise)

  /// Called before a promise made here is linked to a source that was not made here. The list of that source keeps
  /// some links for a while after they were cancelled (rule 4.9), and thereby their promises.
  func willDerive(from source: AnyPromise)

  /// Called before the Task starts that settles a promise made here, and whose closure is isolated to an actor.
  func willRunTask(settling promise: AnyPromise, on actor: any Actor)
}

extension Surroundings {
  /// Does nothing.
  package func willDerive(from source: AnyPromise) {}

  /// Does nothing.
  package func willRunTask(settling promise: AnyPromise, on actor: any Actor) {}
}

extension Diagnostics {
  /// Those of the running code.
  ///
  /// As long as nothing at all is on, this is one load.
  package static var surroundings: (any Surroundings)? { isActive ? DiagnosticsScope.current?.surroundings : nil }
}
