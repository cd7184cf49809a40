package import PromiseCore

/// A test environment that runs its own work while code in it waits.
package protocol WaitingEnvironment: AnyObject {
  /// Runs work until the promise is settled.
  ///
  /// - Parameter limit: the longest duration by which the time of the environment may move.
  /// - Throws: ``WaitError``, if the promise is still pending.
  func settle(_ promise: AnyPromise, within limit: Duration?) throws
}

extension Diagnostics {
  /// The environment of the calling code, if any.
  static var waitingEnvironment: (any WaitingEnvironment)? { testEnvironment as? any WaitingEnvironment }
}
