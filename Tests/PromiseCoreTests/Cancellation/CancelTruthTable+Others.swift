extension CancelTruthTable {
  /// Links whose handler has run and returned a promise, or is just about to. The source is settled.
  static let adoption = [
    adopting(.fulfilled, .value, [.then, .thenBoth]), adopting(.rejected, .error, [.rescue]),
  ]

  private static func adopting(_ source: End, _ sight: Sight, _ relations: [Relation]) -> Section {
    let all: [Role] = [.source, .derived, .below, .adopted]
    let seen = Handlers.once(sight)
    return Section(
      relations: relations, roles: all,
      rows: [
        Row(
          .returnsPending, [.source, .derived], .either, [source, .cancelled, .cancelled, .cancelled], seen,
          hooks: [.adopted]),
        Row(.returnsPending, [.adopted], .either, [source, .pending, .pending, .cancelled], seen, hooks: [.adopted]),
        Row(.returnsPending, [.below], .cancel, [source, .pending, .cancelled, .pending], seen),
        Row(
          .returnsPending, [.below], .abandon, [source, .cancelled, .cancelled, .cancelled], seen, hooks: [.adopted]),
        Row(.returnsShared, [.source, .derived], .either, [source, .cancelled, .cancelled, .pending], seen),
        Row(.returnsShared, [.adopted], .either, [source, .pending, .pending, .cancelled], seen, hooks: [.adopted]),
        Row(.returnsShared, [.below], .cancel, [source, .pending, .cancelled, .pending], seen),
        Row(.returnsShared, [.below], .abandon, [source, .cancelled, .cancelled, .pending], seen),
        Row(
          .adoptedPending, [.source, .derived, .adopted], .either, [source, .cancelled, .cancelled, .cancelled], seen,
          hooks: [.adopted]),
        Row(.adoptedPending, [.below], .cancel, [source, .pending, .cancelled, .pending], seen),
        Row(
          .adoptedPending, [.below], .abandon, [source, .cancelled, .cancelled, .cancelled], seen, hooks: [.adopted]),
        Row(.adoptedShared, [.source, .derived], .either, [source, .cancelled, .cancelled, .pending], seen),
        Row(
          .adoptedShared, [.adopted], .either, [source, .cancelled, .cancelled, .cancelled], seen, hooks: [.adopted]),
        Row(.adoptedShared, [.below], .cancel, [source, .pending, .cancelled, .pending], seen),
        Row(.adoptedShared, [.below], .abandon, [source, .cancelled, .cancelled, .pending], seen),
        Row(
          .adoptedFulfilled, [.source, .derived, .below], .either, [source, .fulfilled, .cancelled, .fulfilled], seen),
        Row(.adoptedFulfilled, [.adopted], .either, [source, .fulfilled, .cancelled, .fulfilled], seen),
        Row(
          .adoptedSettled, [.source, .derived, .below], .either, [source, .fulfilled, .cancelled, .fulfilled], seen),
        Row(.adoptedSettled, [.adopted], .either, [source, .fulfilled, .cancelled, .fulfilled], seen),
        Row(.adoptedRejected, all, .either, [source, .rejected, .rejected, .rejected], seen),
      ])
  }

  /// Relations without a handler.
  static let views = [
    Section(
      relations: [.asVoid], roles: [.source, .derived, .below],
      rows: [
        Row(.pending, [.source], .either, [.cancelled, .cancelled, .cancelled], hooks: [.source]),
        Row(.pending, [.derived], .cancel, [.pending, .cancelled, .cancelled]),
        Row(.pending, [.derived, .below], .abandon, [.cancelled, .cancelled, .cancelled], hooks: [.source]),
        Row(.pending, [.below], .cancel, [.pending, .pending, .cancelled]),
        Row(.fulfilled, [.source, .derived, .below], .either, [.fulfilled, .fulfilled, .cancelled]),
        Row(.rejected, [.source, .derived, .below], .either, [.rejected, .rejected, .rejected]),
      ]),
    Section(
      relations: [.shielded], roles: [.source, .derived, .below],
      rows: [
        Row(.pending, [.source], .either, [.cancelled, .cancelled, .cancelled], hooks: [.source]),
        Row(.pending, [.derived], .either, [.pending, .cancelled, .cancelled]),
        Row(.pending, [.below], .cancel, [.pending, .pending, .cancelled]),
        Row(.pending, [.below], .abandon, [.pending, .cancelled, .cancelled]),
        Row(.fulfilled, [.source, .derived, .below], .either, [.fulfilled, .fulfilled, .cancelled]),
        Row(.rejected, [.source, .derived, .below], .either, [.rejected, .rejected, .rejected]),
      ]),
    Section(
      relations: [.follow], roles: [.source, .derived, .below],
      rows: [
        Row(
          .pending, [.source, .derived], .either, [.cancelled, .cancelled, .cancelled], hooks: [.source, .derived]),
        Row(.pending, [.below], .cancel, [.pending, .pending, .cancelled]),
        Row(.pending, [.below], .abandon, [.cancelled, .cancelled, .cancelled], hooks: [.source, .derived]),
        Row(.shared, [.source], .either, [.cancelled, .cancelled, .cancelled], hooks: [.source, .derived]),
        Row(.shared, [.derived], .either, [.pending, .cancelled, .cancelled], hooks: [.derived]),
        Row(.shared, [.below], .cancel, [.pending, .pending, .cancelled]),
        Row(.shared, [.below], .abandon, [.pending, .cancelled, .cancelled], hooks: [.derived]),
        Row(.fulfilled, [.source, .derived, .below], .either, [.fulfilled, .fulfilled, .cancelled]),
        Row(.rejected, [.source, .derived, .below], .either, [.rejected, .rejected, .rejected]),
      ]),
  ]

  /// Promises that have a body instead of a source.
  static let owners = [
    Section(
      relations: [.promiseOn], roles: [.derived, .below],
      rows: [
        Row(.notStarted, [.derived], .either, [.cancelled, .cancelled], .never),
        Row(.notStarted, [.below], .cancel, [.pending, .cancelled], .once(.start)),
        Row(.notStarted, [.below], .abandon, [.cancelled, .cancelled], .never),
        Row(.bodyRunning, [.derived], .either, [.cancelled, .cancelled], .once(.start), hooks: [.derived]),
        Row(.bodyRunning, [.below], .cancel, [.pending, .cancelled], .once(.start)),
        Row(.bodyRunning, [.below], .abandon, [.cancelled, .cancelled], .once(.start), hooks: [.derived]),
        Row(.bodyRan, [.derived], .either, [.cancelled, .cancelled], .once(.start), hooks: [.derived]),
        Row(.bodyRan, [.below], .cancel, [.pending, .cancelled], .once(.start)),
        Row(.bodyRan, [.below], .abandon, [.cancelled, .cancelled], .once(.start), hooks: [.derived]),
      ]),
    Section(
      relations: [.run], roles: [.derived, .below],
      rows: [
        Row(.notStarted, [.derived], .either, [.cancelled, .cancelled], .never),
        Row(.notStarted, [.below], .cancel, [.pending, .cancelled], .once(.start)),
        Row(.notStarted, [.below], .abandon, [.cancelled, .cancelled], .never),
        Row(.bodyRunning, [.derived], .either, [.cancelled, .cancelled], .once(.start)),
        Row(.bodyRunning, [.below], .cancel, [.pending, .cancelled], .once(.start)),
        Row(.bodyRunning, [.below], .abandon, [.cancelled, .cancelled], .once(.start)),
      ]),
  ]

  /// Observers on a source, with a link beside them. They are consumers until they have run.
  static let observers = [
    observing(.onFulfilled, value: .value, error: nil), observing(.onRejected, value: nil, error: .error),
    observing(.onSettled, value: .value, error: .error),
  ]

  private static func observing(_ relation: Relation, value: Sight?, error: Sight?) -> Section {
    let seesValue = value.map(Handlers.once) ?? .never
    let seesError = error.map(Handlers.once) ?? .never
    return Section(
      relations: [relation], roles: [.source, .below],
      rows: [
        Row(
          .pending, [.source], .either, [.cancelled, .cancelled], error == nil ? .never : .once(.reason),
          hooks: [.source]),
        Row(.pending, [.below], .either, [.pending, .cancelled], .later(ifFulfilled: value, ifRejected: error)),
        Row(.fulfilled, [.source, .below], .either, [.fulfilled, .cancelled], seesValue),
        Row(.rejected, [.source, .below], .either, [.rejected, .rejected], seesError),
      ])
  }
}
