package import PromiseCore

/// What a test puts in place of the threads and the clock that the code under test does not name: links without a
/// context, `.pool`, `.main`, Tasks that the library makes, and the timers of timeouts and delays.
///
/// A world is bound to a Task and its children, or to one call, by its scope; so tests that run side by side do not see
/// each other's. What a promise is told to run on is decided when a link is attached; promises that are made in a world
/// bring it to their handlers, so that what these attach belongs to it too.
package protocol World: Surroundings {
  /// Where links without a context run.
  var pool: PoolContext { get }
  /// Where handlers run that belong on the main actor. They do so in whatever thread runs this context's jobs: who
  /// makes a world sees to it that this is one at a time.
  var mainContext: any ExecutionContext { get }
  /// What timeouts and delays wait for.
  var timers: any TimerContext { get }
}

/// The world that is bound where the caller runs, see ``World``.
package enum Worlds {
  /// The bound world. One load as long as no scope of any kind is in use.
  package static var current: (any World)? {
    Diagnostics.surroundings.map {
      guard let world = $0 as? any World else { preconditionFailure("surroundings that are no world") }
      return world
    }
  }

  /// The timers of whoever names none.
  package static var timers: any TimerContext { current?.timers ?? DispatchTimers.shared }

  /// Where Tasks for handlers run; `nil`: where Tasks always do.
  static var taskExecutor: (any TaskExecutor)? { Diagnostics.surroundings?.taskExecutor }
}
