public import PromiseCore

/// The two ways in which a client cancels.
public enum CancelForm: CaseIterable, Sendable {
  /// `cancel()`, which leaves the source alone.
  case down
  /// `cancel(upstream: true)`, which also gives up the source.
  case up

  public func apply(to promise: AnyPromise) {
    switch self {
    case .down: promise.cancel()
    case .up: promise.cancel(upstream: true)
    }
  }
}
