import PromiseCore

extension Promise {
  /// Whether the promise has both the cancelled mark and a `CancellationError`.
  var isCancelledAsWhole: Bool {
    guard isCancelled, case .rejected(let error) = state else { return false }
    return error is CancellationError
  }
}
