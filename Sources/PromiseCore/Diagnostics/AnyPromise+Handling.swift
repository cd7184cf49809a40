import Synchronization

// The record of whether a rejection was handled (rule 7.1). Only rejected promises pay for it.
//
// A mark is one relaxed read-modify-write of the state word. It needs no ordering, because it publishes nothing. The
// thread that reads it in `deinit` comes after all releases of the promise. The mark is set when a handler runs, not
// when it is attached, because a handler that its context drops has handled nothing.

extension AnyPromise {
  /// The error of a settled promise, if it was rejected, for a reader that handles the rejection.
  @usableFromInline final var errorMarkingHandled: (any Error)? {
    guard let error = storedError else { return nil }
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
    if relaxedState.isUnhandled { word.bitwiseOr(StateWord.handledBit, ordering: .relaxed) }
  }

  /// Claims this promise with the error of another promise and its cancelled mark. Passes on the duty to handle the
  /// rejection, unless it was handled. The caller publishes.
  ///
  /// - Parameter isHandled: whether the rejection was just handled.
  @usableFromInline
  final func claim(passing error: any Error, from source: AnyPromise, isHandled: Bool = false) -> Bool {
    let state = source.relaxedState
    let isHandled = isHandled || state.hasArrivedHandled
    guard claim(state.isCancelled ? .rejectingAsCancelled : isHandled ? .rejectingAsHandled : .rejecting) else {
      return false
    }
    store(error)
    continueTrail(of: source)
    source.markDutyPassed()
    return true
  }
}
