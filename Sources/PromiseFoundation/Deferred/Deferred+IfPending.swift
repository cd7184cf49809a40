import PromiseContexts
package import PromiseCore

extension Deferred {
  /// Settles the promise with the result of a closure, if it is pending.
  ///
  /// For a promise that is settled already, for example by a cancellation, the closure does not run. Such a late
  /// settlement is not reported as a second one.
  package func settleIfPending(with body: () throws -> Value) {
    guard ownedPromise.isPending else { return }
    ownedPromise.settleIfPending(Result(catching: body))
  }

  /// Rejects the promise if it is pending. A late rejection is not reported as a second settlement.
  package func rejectIfPending(with error: any Error) { settleIfPending { throw error } }
}
