// The record of whether a rejection was handled (rule 7.1). Only rejected promises pay for it.
//
// The mark is set when a handler runs, not when it is attached, because a handler that its context drops has handled
// nothing.

extension AnyPromise {
  /// The error of a settled promise, if it was rejected, for a reader that handles the rejection.
  @usableFromInline final var errorMarkingHandled: (any Error)? {
    guard let error = storedError else { return nil }
    markHandled()
    return error
  }

  /// The error of a settled promise, if it was rejected without the cancelled mark, for a reader that handles the
  /// rejection.
  @usableFromInline final var failureMarkingHandled: (any Error)? { isCancelled ? nil : errorMarkingHandled }

  /// The error of a settled promise, if it was rejected with an error of a type, for a reader that handles the
  /// rejection.
  @_alwaysEmitIntoClient
  final func errorMarkingHandled<E: Error>(as type: E.Type) -> E? {
    guard let error = storedError as? E else { return nil }
    markHandled()
    return error
  }

  /// Records that the rejection of this settled promise was handled.
  @usableFromInline
  final func markHandled() {
    markDutyPassed()
    if relaxedState.isRejected { takeRingReport() }
  }

  /// Records that the duty to handle the rejection of this settled promise was passed on.
  final func markDutyPassed() {
    if relaxedState.isUnhandled { withState { $0 = $0.becomingHandled() } }
  }
}
