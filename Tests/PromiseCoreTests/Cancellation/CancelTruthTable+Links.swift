extension CancelTruthTable {
  /// Links with a handler that has not returned yet.
  static let links = [
    valueLinks, replacingLinks, catching, twoHandlers, always,
  ]

  private static let roles: [Role] = [.source, .derived, .below]

  /// A handler for a value that has not started never runs after its own promise was cancelled (rule 2.5).
  private static let valueLinks = Section(
    relations: kinds(.map, .tap, .tapThen, .validate, .compactMap, .then), roles: roles,
    rows: pending(afterSource: .never, afterDerived: .never, otherwise: .later(ifFulfilled: .value, ifRejected: nil))
      + unfinished(.fulfilled, source: .fulfilled, afterDerived: .never, otherwise: .once(.value))
      + unfinished(.running, source: .fulfilled, afterDerived: .once(.value), otherwise: .once(.value))
      + [Row(.rejected, roles, .either, [.rejected, .rejected, .rejected], .never)])

  /// Neither a handler that replaces an error nor that of `markCancelled` or `catchFailure` runs after its own promise
  /// was cancelled (rule 2.5).
  private static let replacingLinks = Section(
    relations: kinds(
      .recover, .recoverFrom, .recoverFailure, .rescue, .rescueFrom, .rescueFailure, .mapError, .mapErrorFrom,
      .markCancelled, .catchFailure, .catchFailureOnly),
    roles: roles,
    rows: pending(afterSource: .never, afterDerived: .never, otherwise: .later(ifFulfilled: nil, ifRejected: .error))
      + unfinished(.rejected, source: .rejected, afterDerived: .never, otherwise: .once(.error))
      + unfinished(.running, source: .rejected, afterDerived: .once(.error), otherwise: .once(.error))
      + [Row(.fulfilled, roles, .either, [.fulfilled, .fulfilled, .cancelled], .never)])

  /// `catch` and `catchThen` run if and only if their source is rejected (rule 2.5).
  private static let catching = Section(
    relations: kinds(.catchAny, .catchThen), roles: roles,
    rows: pending(
      afterSource: .once(.reason), afterDerived: .later(ifFulfilled: nil, ifRejected: .error),
      otherwise: .later(ifFulfilled: nil, ifRejected: .error)) + rejected
      + unfinished(.running, source: .rejected, afterDerived: .once(.error), otherwise: .once(.error))
      + [Row(.fulfilled, roles, .either, [.fulfilled, .fulfilled, .cancelled], .never)])

  /// The first handler acts like a handler for a value, and the second acts like `catch` (rule 2.5).
  private static let twoHandlers = Section(
    relations: kinds(.mapBoth, .thenBoth), roles: roles,
    rows: pending(
      afterSource: .once(.reason), afterDerived: .later(ifFulfilled: nil, ifRejected: .error),
      otherwise: .later(ifFulfilled: .value, ifRejected: .error))
      + unfinished(.fulfilled, source: .fulfilled, afterDerived: .never, otherwise: .once(.value))
      + unfinished(.running, source: .fulfilled, afterDerived: .once(.value), otherwise: .once(.value)) + rejected)

  /// `always` and `alwaysThen` run once in every case (rule 2.5).
  private static let always = Section(
    relations: kinds(.always, .alwaysThen), roles: roles,
    rows: pending(
      afterSource: .once(.reason), afterDerived: .once(.reason),
      otherwise: .later(ifFulfilled: .value, ifRejected: .error))
      + unfinished(.fulfilled, source: .fulfilled, afterDerived: .once(.value), otherwise: .once(.value))
      + unfinished(.running, source: .fulfilled, afterDerived: .once(.value), otherwise: .once(.value)) + rejected)

  // MARK: - Rows of several sections

  /// Returns the rows of a pending source. The handlers depend on whether the source is cancelled, only the derived
  /// promise, or neither.
  static func pending(afterSource: Handlers, afterDerived: Handlers, otherwise: Handlers) -> [Row] {
    [
      Row(.pending, [.source], .either, [.cancelled, .cancelled, .cancelled], afterSource, hooks: [.source]),
      Row(.pending, [.derived], .down, [.pending, .cancelled, .cancelled], afterDerived),
      Row(
        .pending, [.derived, .below], .upstream, [.cancelled, .cancelled, .cancelled], afterSource, hooks: [.source]),
      Row(.pending, [.below], .down, [.pending, .pending, .cancelled], otherwise),
      Row(.shared, [.source], .either, [.cancelled, .cancelled, .cancelled], afterSource, hooks: [.source]),
      Row(.shared, [.derived], .either, [.pending, .cancelled, .cancelled], afterDerived),
      Row(.shared, [.below], .down, [.pending, .pending, .cancelled], otherwise),
      Row(.shared, [.below], .upstream, [.pending, .cancelled, .cancelled], afterDerived),
    ]
  }

  /// Returns the rows of a settled source whose handler is scheduled or running. The handlers depend on whether the
  /// derived promise is cancelled.
  private static func unfinished(_ stage: Stage, source: End, afterDerived: Handlers, otherwise: Handlers) -> [Row] {
    [
      Row(stage, [.source, .derived], .either, [source, .cancelled, .cancelled], afterDerived),
      Row(stage, [.below], .down, [source, .pending, .cancelled], otherwise),
      Row(stage, [.below], .upstream, [source, .cancelled, .cancelled], afterDerived),
    ]
  }

  /// The rows of a rejected source whose handler is scheduled, and runs in each case.
  private static let rejected = unfinished(
    .rejected, source: .rejected, afterDerived: .once(.error), otherwise: .once(.error))
}
