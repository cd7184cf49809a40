package import PromiseCore

/// What a test puts in place of the threads and the clock that the code under test does not name: links without a context, `.pool`,
/// `.main`, and the timers of timeouts and delays.
///
/// A world is bound to a Task and its children, or to one call, by ``Worlds/bind(_:_:)``; so tests that run side by side do not see
/// each other's. What a promise is told to run on is decided when a link is attached; jobs that a world runs bind it again, so that
/// what their handlers attach belongs to it too.
package protocol World: AnyObject, Sendable {
  /// Where links without a context run.
  var pool: PoolContext { get }
  /// Where handlers run that belong on the main actor. They do so in whatever thread runs this context's jobs: who makes a world
  /// sees to it that this is one at a time.
  var main: any ExecutionContext { get }
  /// What timeouts and delays wait for.
  var timers: any TimerContext { get }
}
