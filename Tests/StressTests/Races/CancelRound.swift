import PromiseCore
import TestSupport

/// Counts the handlers and hooks that run in a round of a race with a cancel, and the objects that they capture.
final class CancelRound: Sendable {
  let context = ManualContext()
  let census = Tracked.Census()
  let values = Locked(0)
  let errors = Locked(0)
  let hooks = Locked(0)

  func link(_ promise: Promise<Int>) -> Promise<Int> {
    promise.map(on: context) { [values, tracked = Tracked(census)] value in
      withExtendedLifetime(tracked) { values.withLock { $0 += 1 } }
      return value
    }
  }

  func recovering(_ promise: Promise<Int>) -> Promise<Int> {
    promise.recover(on: context) { [errors, tracked = Tracked(census)] _ in
      withExtendedLifetime(tracked) { errors.withLock { $0 += 1 } }
      return -1
    }
  }

  func always(_ promise: Promise<Int>) -> Promise<Int> {
    promise.always(on: context) { [errors, tracked = Tracked(census)] _ in
      withExtendedLifetime(tracked) { errors.withLock { $0 += 1 } }
    }
  }

  func owner() -> Deferred<Int> {
    let deferred = Deferred<Int>()
    deferred.onCancel { [hooks, tracked = Tracked(census)] _ in
      withExtendedLifetime(tracked) { hooks.withLock { $0 += 1 } }
    }
    return deferred
  }

  /// The counts of handlers that saw a value, of handlers that saw an error, and of hooks.
  var counts: [Int] { [values, errors, hooks].map { $0.withLock { $0 } } }
}
