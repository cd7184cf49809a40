import PromiseCore

extension Promise {
  var fulfilledValue: Value? { try? result?.get() }

  /// Whether it is cancelled as a whole: mark and error.
  var isCancelledAsWhole: Bool {
    guard isCancelled, case .rejected(let error) = state else { return false }
    return error is CancellationError
  }
}
