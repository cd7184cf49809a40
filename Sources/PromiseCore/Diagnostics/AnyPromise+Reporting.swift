extension AnyPromise {
  /// Reports the rejection of this promise, which is being deallocated, if the rejection was not handled.
  @inline(never)
  final func reportUnhandledRejection() {
    guard let hook = Diagnostics.unhandledRejectionHook(in: scope), let unhandledRejection else { return }
    HookCall.call(hook, with: unhandledRejection)
  }

  /// Returns the report of an unhandled rejection, and marks the rejection as handled.
  package final func takeUnhandledRejection() -> UnhandledRejection? {
    defer { markHandled() }
    return unhandledRejection
  }

  /// The report for a promise that is rejected and whose rejection was not handled so far, otherwise `nil`.
  private final var unhandledRejection: UnhandledRejection? {
    let state = acquiredState
    guard state.isDone, state.isUnhandled, !isHandledInAdvance, let error = storedError, takeRingReport()
    else {
      return nil
    }
    return UnhandledRejection(error: error, createdAt: createdAt, trail: trail)
  }

  /// Reports that the owner settles this promise a second time, and returns `false`.
  ///
  /// - Parameter error: the error that the owner passed, or `nil` for a value.
  /// - Returns: `false`, as the result of the owner's call.
  @inline(never) @usableFromInline
  final func reportSecondSettlement(_ error: (any Error)? = nil) -> Bool {
    if let hook = Diagnostics.secondSettlementHook(in: scope) {
      let state = resolved.acquiredState
      let report = SecondSettlement(
        error: error, createdAt: CreationSite(site), wasCancelled: state.isEndedByCall,
        wasTimedOut: state.isTimedOut)
      HookCall.call(hook, with: report)
    }
    return false
  }

  /// Reports that the owner makes this promise follow another although it is settled, and returns `false`.
  @usableFromInline
  final func reportSecondSettlement(byOutcomeOf other: AnyPromise) -> Bool {
    let other = other.resolved
    return reportSecondSettlement(other.acquiredState.isDone ? other.storedError : nil)
  }
}
