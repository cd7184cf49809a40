import TestSupport

/// Counts the handlers and hooks that run in a round of a race with a cancel, and the objects that they capture.
final class CancelRound: Sendable {
  let context = ManualContext()
  let census = Tracked.Census()
  let hooks: Runs
  private let values: Runs
  private let errors: Runs

  init() { (values, errors, hooks) = (Runs(census), Runs(census), Runs(census)) }

  func link(_ promise: Promise<Int>) -> Promise<Int> {
    promise.map(on: context) { [handler = values.handler] value in
      handler()
      return value
    }
  }

  func recovering(_ promise: Promise<Int>) -> Promise<Int> {
    promise.recover(on: context) { [handler = errors.handler] _ in
      handler()
      return -1
    }
  }

  func always(_ promise: Promise<Int>) -> Promise<Int> {
    promise.always(on: context) { [handler = errors.handler] _ in handler() }
  }

  func owner() -> Deferred<Int> {
    let deferred = Deferred<Int>()
    deferred.onCancel { [handler = hooks.handler] _ in handler() }
    return deferred
  }

  /// The counts of handlers that saw a value, of handlers that saw an error, and of hooks.
  var counts: [Int] { [values, errors, hooks].map(\.number) }
}
