import PromiseCore

/// The call with which one side of a race cancels.
enum CancelCall: CaseIterable, Sendable {
  case cancel, giveUp

  func apply(to promise: AnyPromise) {
    switch self {
    case .cancel: promise.cancel()
    case .giveUp: promise.cancel(upstream: true)
    }
  }
}
