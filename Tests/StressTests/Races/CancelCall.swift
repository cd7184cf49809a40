import PromiseCore

/// The call with which one side of a race cancels.
enum CancelCall: CaseIterable, Sendable {
  case cancel, abandon

  func apply(to promise: AnyPromise) {
    switch self {
    case .cancel: promise.cancel()
    case .abandon: promise.cancel(upstream: true)
    }
  }
}
