extension CancelTruthTable {
  /// Relations without a handler.
  static let views = [
    Section(
      relations: [.other(.asVoid)], roles: [.source, .derived, .below],
      rows: pending(afterSource: .none, afterDerived: .none, otherwise: .none) + settledView),
    Section(
      relations: [.other(.shielded)], roles: [.source, .derived, .below],
      rows: [
        Row(.pending, [.source], .either, [.cancelled, .cancelled, .cancelled], hooks: [.source]),
        Row(.pending, [.derived], .either, [.pending, .cancelled, .cancelled]),
        Row(.pending, [.below], .down, [.pending, .pending, .cancelled]),
        Row(.pending, [.below], .upstream, [.pending, .cancelled, .cancelled]),
        Row(.shared, [.source], .either, [.cancelled, .cancelled, .cancelled], hooks: [.source]),
        Row(.shared, [.derived], .either, [.pending, .cancelled, .cancelled]),
        Row(.shared, [.below], .down, [.pending, .pending, .cancelled]),
        Row(.shared, [.below], .upstream, [.pending, .cancelled, .cancelled]),
      ] + settledView),
  ]

  private static let settledView = [
    Row(.fulfilled, [.source, .derived, .below], .either, [.fulfilled, .fulfilled, .cancelled]),
    Row(.rejected, [.source, .derived, .below], .either, [.rejected, .rejected, .rejected]),
  ]

  /// Promises that have a body instead of a source.
  static let owners = [
    Section(
      relations: [.other(.promiseOn)], roles: [.derived, .below],
      rows: notStarted + [
        Row(.bodyRunning, [.derived], .either, [.cancelled, .cancelled], .once(.start), hooks: [.derived]),
        Row(.bodyRunning, [.below], .down, [.pending, .cancelled], .once(.start)),
        Row(.bodyRunning, [.below], .upstream, [.cancelled, .cancelled], .once(.start), hooks: [.derived]),
        Row(.bodyRan, [.derived], .either, [.cancelled, .cancelled], .once(.start), hooks: [.derived]),
        Row(.bodyRan, [.below], .down, [.pending, .cancelled], .once(.start)),
        Row(.bodyRan, [.below], .upstream, [.cancelled, .cancelled], .once(.start), hooks: [.derived]),
      ]),
    Section(
      relations: [.other(.run)], roles: [.derived, .below],
      rows: notStarted + [
        Row(.bodyRunning, [.derived], .either, [.cancelled, .cancelled], .once(.start)),
        Row(.bodyRunning, [.below], .down, [.pending, .cancelled], .once(.start)),
        Row(.bodyRunning, [.below], .upstream, [.cancelled, .cancelled], .once(.start)),
      ]),
  ]

  private static let notStarted = [
    Row(.notStarted, [.derived], .either, [.cancelled, .cancelled], .never),
    Row(.notStarted, [.below], .down, [.pending, .cancelled], .once(.start)),
    Row(.notStarted, [.below], .upstream, [.cancelled, .cancelled], .never),
  ]

  /// Observers on a source, with a link beside them. Observers of a value are consumers until they have run (rule 4.0).
  static let observers = [
    Section(
      relations: kinds(.onFulfilled), roles: [.source, .below],
      rows: [
        Row(.pending, [.source], .either, [.cancelled, .cancelled], .never, hooks: [.source]),
        Row(.pending, [.below], .either, [.pending, .cancelled], .later(ifFulfilled: .value, ifRejected: nil)),
      ] + settled(value: .once(.value), error: .never, isTakenBack: true)),
    errorObserver(.onRejected, afterSource: .once(.reason)),
    errorObserver(.onFailed, afterSource: .skipped, isTakenBack: true),
    Section(
      relations: kinds(.onSettled), roles: [.source, .below],
      rows: [
        Row(.pending, [.source], .either, [.cancelled, .cancelled], .once(.reason), hooks: [.source]),
        Row(.pending, [.below], .either, [.pending, .cancelled], .later(ifFulfilled: .value, ifRejected: .error)),
      ] + settled(value: .once(.value), error: .once(.error))),
  ]

  private static func errorObserver(_ kind: LinkKind, afterSource: Handlers, isTakenBack: Bool = false) -> Section {
    Section(
      relations: kinds(kind), roles: [.source, .below],
      rows: [
        Row(.pending, [.source], .either, [.cancelled, .cancelled], afterSource, hooks: [.source]),
        Row(.pending, [.below], .down, [.pending, .cancelled], .later(ifFulfilled: nil, ifRejected: .error)),
        Row(.pending, [.below], .upstream, [.cancelled, .cancelled], afterSource, hooks: [.source]),
      ] + settled(value: .never, error: .once(.error), isTakenBack: isTakenBack))
  }

  /// Returns the rows of a settled source whose handler is scheduled. Some observers are taken back if the source is
  /// cancelled (rule 2.5).
  private static func settled(value: Handlers, error: Handlers, isTakenBack: Bool = false) -> [Row] {
    [
      Row(.fulfilled, [.source], .either, [.fulfilled, .cancelled], isTakenBack ? .never : value),
      Row(.fulfilled, [.below], .either, [.fulfilled, .cancelled], value),
      Row(.rejected, [.source], .either, [.rejected, .rejected], isTakenBack ? .never : error),
      Row(.rejected, [.below], .either, [.rejected, .rejected], error),
    ]
  }
}
