extension CancelTruthTable {
  /// Links whose handler has returned a promise or is about to return it. The source is settled.
  static let adoption = [
    adopting(.fulfilled, .value, kinds(.then, .thenBoth)), adopting(.rejected, .error, kinds(.rescue, .rescueFrom)),
    recoveringAdopter, follower, recoveringFollower,
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
        Row(.returnsPending, [.below], .down, [source, .pending, .cancelled, .pending], seen),
        Row(
          .returnsPending, [.below], .upstream, [source, .cancelled, .cancelled, .cancelled], seen, hooks: [.adopted]),
        Row(.returnsShared, [.source, .derived], .either, [source, .cancelled, .cancelled, .pending], seen),
        Row(.returnsShared, [.adopted], .either, [source, .pending, .pending, .cancelled], seen, hooks: [.adopted]),
        Row(.returnsShared, [.below], .down, [source, .pending, .cancelled, .pending], seen),
        Row(.returnsShared, [.below], .upstream, [source, .cancelled, .cancelled, .pending], seen),
        // Both calls make an adopter give up the promise that it has adopted (rule 4.2).
        Row(
          .adoptedPending, [.source, .derived, .adopted], .either, [source, .cancelled, .cancelled, .cancelled], seen,
          hooks: [.adopted]),
        Row(.adoptedPending, [.below], .down, [source, .pending, .cancelled, .pending], seen),
        Row(
          .adoptedPending, [.below], .upstream, [source, .cancelled, .cancelled, .cancelled], seen, hooks: [.adopted]),
        Row(.adoptedShared, [.source, .derived], .either, [source, .cancelled, .cancelled, .pending], seen),
        Row(
          .adoptedShared, [.adopted], .either, [source, .cancelled, .cancelled, .cancelled], seen, hooks: [.adopted]),
        Row(.adoptedShared, [.below], .down, [source, .pending, .cancelled, .pending], seen),
        Row(.adoptedShared, [.below], .upstream, [source, .cancelled, .cancelled, .pending], seen),
        // An adopter is not below the promise that it has adopted (rule 4.0).
        Row(
          .adoptedFulfilled, [.source, .derived, .below], .either, [source, .fulfilled, .cancelled, .fulfilled], seen),
        Row(.adoptedFulfilled, [.adopted], .either, [source, .fulfilled, .pending, .fulfilled], seen),
        Row(
          .adoptedSettled, [.source, .derived, .below], .either, [source, .fulfilled, .cancelled, .fulfilled], seen),
        Row(.adoptedSettled, [.adopted], .either, [source, .fulfilled, .pending, .fulfilled], seen),
        Row(.adoptedRejected, all, .either, [source, .rejected, .rejected, .rejected], seen),
      ])
  }

  /// If the adopted promise is cancelled, the adopter sees an ordinary rejection (rule 3.1). The handlers are those of
  /// `recover`.
  private static let recoveringAdopter = Section(
    relations: [.other(.thenRecovered)], roles: [.source, .derived, .below, .adopted],
    rows: [
      Row(
        .adoptedPending, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled, .cancelled], .never,
        hooks: [.adopted]),
      Row(
        .adoptedPending, [.adopted], .either, [.fulfilled, .cancelled, .pending, .cancelled], .once(.reason),
        hooks: [.adopted]),
      Row(.adoptedPending, [.below], .down, [.fulfilled, .pending, .cancelled, .pending], .never),
      Row(
        .adoptedPending, [.below], .upstream, [.fulfilled, .cancelled, .cancelled, .cancelled], .never,
        hooks: [.adopted]),
      Row(.adoptedShared, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled, .pending], .never),
      Row(
        .adoptedShared, [.adopted], .either, [.fulfilled, .cancelled, .pending, .cancelled], .once(.reason),
        hooks: [.adopted]),
      Row(.adoptedShared, [.below], .down, [.fulfilled, .pending, .cancelled, .pending], .never),
      Row(.adoptedShared, [.below], .upstream, [.fulfilled, .cancelled, .cancelled, .pending], .never),
      Row(.adoptedRejected, [.adopted], .either, [.fulfilled, .rejected, .pending, .rejected], .once(.error)),
      Row(
        .adoptedRejected, [.source, .derived, .below], .either, [.fulfilled, .rejected, .cancelled, .rejected], .never),
    ])

  private static let follower = Section(
    relations: [.other(.follow)], roles: [.source, .derived, .below],
    rows: [
      // The outcome of the source settles the follower, and the follower's hooks are dropped (rule 4.5).
      Row(.pending, [.source], .either, [.cancelled, .cancelled, .cancelled], hooks: [.source]),
      Row(.pending, [.derived], .either, [.cancelled, .cancelled, .cancelled], hooks: [.source, .derived]),
      Row(.pending, [.below], .down, [.pending, .pending, .cancelled]),
      Row(.pending, [.below], .upstream, [.cancelled, .cancelled, .cancelled], hooks: [.source, .derived]),
      Row(.shared, [.source], .either, [.cancelled, .cancelled, .cancelled], hooks: [.source]),
      Row(.shared, [.derived], .either, [.pending, .cancelled, .cancelled], hooks: [.derived]),
      Row(.shared, [.below], .down, [.pending, .pending, .cancelled]),
      Row(.shared, [.below], .upstream, [.pending, .cancelled, .cancelled], hooks: [.derived]),
      Row(.fulfilled, [.source], .either, [.fulfilled, .fulfilled, .pending]),
      Row(.fulfilled, [.derived, .below], .either, [.fulfilled, .fulfilled, .cancelled]),
      Row(.rejected, [.source, .derived, .below], .either, [.rejected, .rejected, .rejected]),
    ])

  private static let recoveringFollower = Section(
    relations: [.other(.followRecovered)], roles: [.source, .derived, .below],
    rows: [
      Row(.pending, [.source], .either, [.cancelled, .cancelled, .pending], .once(.reason), hooks: [.source]),
      Row(.pending, [.derived], .either, [.cancelled, .cancelled, .cancelled], .never, hooks: [.source, .derived]),
      Row(.pending, [.below], .down, [.pending, .pending, .cancelled], .never),
      Row(.pending, [.below], .upstream, [.cancelled, .cancelled, .cancelled], .never, hooks: [.source, .derived]),
      Row(.shared, [.source], .either, [.cancelled, .cancelled, .pending], .once(.reason), hooks: [.source]),
      Row(.shared, [.derived], .either, [.pending, .cancelled, .cancelled], .never, hooks: [.derived]),
      Row(.shared, [.below], .down, [.pending, .pending, .cancelled], .never),
      Row(.shared, [.below], .upstream, [.pending, .cancelled, .cancelled], .never, hooks: [.derived]),
      Row(.rejected, [.source], .either, [.rejected, .rejected, .pending], .once(.error)),
      Row(.rejected, [.derived, .below], .either, [.rejected, .rejected, .cancelled], .never),
    ])
}
