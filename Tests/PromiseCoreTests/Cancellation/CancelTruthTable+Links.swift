extension CancelTruthTable {
  /// Links with a handler that has not returned yet.
  static let links = [valueLinks, replacingLinks, observingLink, failureLink, twoHandlers, always]

  private static let roles: [Role] = [.source, .derived, .below]

  /// A handler for a value that has not started never runs after its own promise was cancelled (rule 2.5).
  private static let valueLinks = Section(
    relations: kinds(.map, .tap, .validate, .compactMap, .then), roles: roles,
    rows: pending(afterSource: .never, afterDerived: .never, otherwise: .later(ifFulfilled: .value, ifRejected: nil))
      + [
        Row(.fulfilled, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled], .never),
        Row(.fulfilled, [.below], .down, [.fulfilled, .pending, .cancelled], .once(.value)),
        Row(.fulfilled, [.below], .upstream, [.fulfilled, .cancelled, .cancelled], .never),
        Row(.rejected, [.source, .derived, .below], .either, [.rejected, .rejected, .rejected], .never),
      ] + running(source: .fulfilled, .once(.value)))

  /// A handler that replaces an error never runs either after its own promise was cancelled (rule 2.5).
  private static let replacingLinks = Section(
    relations: kinds(.recover, .recoverFrom, .rescue, .rescueFrom, .mapError, .mapErrorFrom), roles: roles,
    rows: pending(afterSource: .never, afterDerived: .never, otherwise: .later(ifFulfilled: nil, ifRejected: .error))
      + [
        Row(.fulfilled, [.source, .derived, .below], .either, [.fulfilled, .fulfilled, .cancelled], .never),
        Row(.rejected, [.source, .derived], .either, [.rejected, .cancelled, .cancelled], .never),
        Row(.rejected, [.below], .down, [.rejected, .pending, .cancelled], .once(.error)),
        Row(.rejected, [.below], .upstream, [.rejected, .cancelled, .cancelled], .never),
      ] + running(source: .rejected, .once(.error)))

  /// `catch` runs if and only if its source is rejected (rule 2.5).
  private static let observingLink = Section(
    relations: kinds(.catchAny), roles: roles,
    rows: pending(
      afterSource: .once(.reason), afterDerived: .later(ifFulfilled: nil, ifRejected: .error),
      otherwise: .later(ifFulfilled: nil, ifRejected: .error)) + [
        Row(.fulfilled, [.source, .derived, .below], .either, [.fulfilled, .fulfilled, .cancelled], .never)
      ] + rejected + running(source: .rejected, .once(.error)))

  /// `catchFailure` runs if and only if its source is rejected without the cancelled mark (rule 2.5).
  private static let failureLink = Section(
    relations: kinds(.catchFailure), roles: roles,
    rows: pending(
      afterSource: .skipped, afterDerived: .later(ifFulfilled: nil, ifRejected: .error),
      otherwise: .later(ifFulfilled: nil, ifRejected: .error)) + [
        Row(.fulfilled, [.source, .derived, .below], .either, [.fulfilled, .fulfilled, .cancelled], .never)
      ] + rejected + running(source: .rejected, .once(.error)))

  /// The first handler acts like a handler for a value, and the second acts like `catch` (rule 2.5).
  private static let twoHandlers = Section(
    relations: kinds(.mapBoth, .thenBoth), roles: roles,
    rows: pending(
      afterSource: .once(.reason), afterDerived: .later(ifFulfilled: nil, ifRejected: .error),
      otherwise: .later(ifFulfilled: .value, ifRejected: .error)) + [
        Row(.fulfilled, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled], .never),
        Row(.fulfilled, [.below], .down, [.fulfilled, .pending, .cancelled], .once(.value)),
        Row(.fulfilled, [.below], .upstream, [.fulfilled, .cancelled, .cancelled], .never),
      ] + rejected + running(source: .fulfilled, .once(.value)))

  /// `always` and `alwaysThen` run once in every case (rule 2.5).
  private static let always = Section(
    relations: kinds(.always, .alwaysThen), roles: roles,
    rows: pending(
      afterSource: .once(.reason), afterDerived: .once(.reason),
      otherwise: .later(ifFulfilled: .value, ifRejected: .error)) + [
        Row(.fulfilled, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled], .once(.value)),
        Row(.fulfilled, [.below], .down, [.fulfilled, .pending, .cancelled], .once(.value)),
        Row(.fulfilled, [.below], .upstream, [.fulfilled, .cancelled, .cancelled], .once(.value)),
      ] + rejected + running(source: .fulfilled, .once(.value)))

  // MARK: - Rows of several sections

  /// Returns the rows of a pending source. The handlers depend on whether the source is cancelled, only the derived
  /// promise, or neither.
  private static func pending(
    afterSource: Handlers, afterDerived: Handlers, otherwise: Handlers
  ) -> [Row] {
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

  /// The rows of a rejected source whose handler is scheduled.
  private static let rejected = [
    Row(.rejected, [.source, .derived], .either, [.rejected, .cancelled, .cancelled], .once(.error)),
    Row(.rejected, [.below], .down, [.rejected, .pending, .cancelled], .once(.error)),
    Row(.rejected, [.below], .upstream, [.rejected, .cancelled, .cancelled], .once(.error)),
  ]

  /// Returns the rows for calls that the running handler makes.
  private static func running(source: End, _ handlers: Handlers) -> [Row] {
    [
      Row(.running, [.source, .derived], .either, [source, .cancelled, .cancelled], handlers),
      Row(.running, [.below], .down, [source, .pending, .cancelled], handlers),
      Row(.running, [.below], .upstream, [source, .cancelled, .cancelled], handlers),
    ]
  }
}
