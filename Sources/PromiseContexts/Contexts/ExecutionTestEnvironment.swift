package import PromiseCore

/// A test environment that also replaces the default contexts, the default clock, and the library's random numbers.
///
/// These are `.pool`, `.main`, the context of handlers without a context, and the timers of timeouts and delays. The
/// context of a handler is chosen when the handler is attached. Promises that are created in the environment bind it
/// for their handlers, so handlers that these attach run in it, too.
package protocol ExecutionTestEnvironment: TestEnvironment {
  /// The context of handlers without a context.
  var pool: PoolContext { get }
  /// The context of handlers of the main actor. They run on any thread that runs the jobs of this context, so the
  /// environment must run these one at a time.
  var mainContext: any ExecutionContext { get }
  /// The timers of timeouts and delays.
  var timers: any TimerContext { get }
  /// Returns a random number in 0..<1.
  func random() -> Double
}

extension ExecutionTestEnvironment {
  /// The pool of the environment.
  package var hookContext: any ExecutionContext { pool }
}

extension Diagnostics {
  /// The test environment of the calling code, if any. While no scope of any kind is in use, reading it costs one load.
  package static var executionTestEnvironment: (any ExecutionTestEnvironment)? {
    testEnvironment.map {
      guard let environment = $0 as? any ExecutionTestEnvironment else {
        preconditionFailure("a test environment without contexts")
      }
      return environment
    }
  }

  /// Returns a random number in 0..<1, from the test environment of the calling code, or from the system.
  package static func random() -> Double { executionTestEnvironment?.random() ?? .random(in: 0..<1) }

  /// The timers of code that names no timers.
  package static var defaultTimers: any TimerContext { executionTestEnvironment?.timers ?? DispatchTimers.shared }
}
