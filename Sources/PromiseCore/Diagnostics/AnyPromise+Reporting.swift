extension AnyPromise {
  /// This promise is going, and nobody has looked at its error.
  @inline(never)
  final func reportUnhandledRejection() {
    guard let hook = Diagnostics.unhandledRejectionHook(in: scope), let unhandledRejection else { return }
    Delivery.deliver(unhandledRejection, to: hook)
  }

  /// As `unhandledRejection`, which then has been looked at.
  package final func takeUnhandledRejection() -> UnhandledRejection? {
    defer { markHandled() }
    return unhandledRejection
  }

  /// What there is to report, if this promise is rejected and nobody has looked at it so far.
  private final var unhandledRejection: UnhandledRejection? {
    let state = cell
    guard state.isDone, state.isUnhandled, !isHandledInAdvance, let error = storedError else { return nil }
    return UnhandledRejection(error: error, createdAt: createdAt, trail: trail)
  }

  /// The owner settles this promise, which is settled, or was claimed by another thread just now.
  ///
  /// - Parameter error: with what; `nil`: with a value.
  /// - Returns: `false`, for the owner.
  @inline(never) @usableFromInline
  final func refuse(_ error: (any Error)? = nil) -> Bool {
    if let hook = Diagnostics.secondSettlementHook(in: scope) {
      let report = SecondSettlement(
        error: error, createdAt: CreationSite(site), wasCancelled: resolved.cell.isCancelledByCall)
      Delivery.deliver(report, to: hook)
    }
    return false
  }

  /// The same, for an owner that wanted to follow another promise.
  @usableFromInline
  final func refuse(outcomeOf other: AnyPromise) -> Bool {
    let other = other.resolved
    return refuse(other.cell.isDone ? other.storedError : nil)
  }
}
