package import PromiseCore

/// A test environment that also replaces the contexts and the clock that the code under test does not name. These are the context of
/// links without one, `.pool`, `.main`, and the timers of timeouts and delays.
///
/// The context of a link is chosen when the link is attached. Promises that are made in the environment bind it for their handlers,
/// so what the handlers attach runs in it, too.
package protocol ExecutionTestEnvironment: TestEnvironment {
  /// Where links without a context run.
  var pool: PoolContext { get }
  /// Where handlers of the main actor run. They run in whatever thread runs this context's jobs, so the environment must run
  /// them one at a time.
  var mainContext: any ExecutionContext { get }
  /// The timers of timeouts and delays.
  var timers: any TimerContext { get }
}

extension Diagnostics {
  /// The test environment of the calling code, if any. While no scope of any kind is in use, this is one load.
  package static var executionTestEnvironment: (any ExecutionTestEnvironment)? {
    testEnvironment.map {
      guard let environment = $0 as? any ExecutionTestEnvironment else {
        preconditionFailure("a test environment without contexts")
      }
      return environment
    }
  }

  /// The timers of code that names none.
  package static var defaultTimers: any TimerContext { executionTestEnvironment?.timers ?? DispatchTimers.shared }
}
