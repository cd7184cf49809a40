import TestedCalls

extension CancelTruthTable {
  /// Links whose handler has returned a promise or is about to return it. The source is settled.
  static let adoption = [
    adopting(.fulfilled, .value, adopters.filter(\.handlesValues).map(Relation.kind)),
    adopting(.rejected, .error, adopters.filter { !$0.handlesValues && $0.substitutes }.map(Relation.kind)),
    // Of the returned promise, `catchThen` takes over an error alone (rule 2.6).
    adopting(.rejected, .error, [.kind(.catchThen)], derived: .rejected),
    recoveringAdopter, follower, recoveringFollower,
  ]

  private static let adopters = LinkKind.allCases.filter(\.adopts)

  /// - Parameter derived: the outcome of the derived promise after the adopted promise was fulfilled.
  private static func adopting(
    _ source: End, _ seenOutcome: SeenOutcome, _ relations: [Relation], derived: End = .fulfilled
  ) -> Section {
    let seen = Handlers.once(seenOutcome)
    let below: End = derived == .fulfilled ? .pending : derived
    let cancelled: End = derived == .fulfilled ? .cancelled : derived
    let rows: [Row] =
      [Stage.returnsPending, .returnsShared].flatMap {
        waiting($0, source: source, seen, derived: .pending, below: .pending)
      }
      + [Stage.adoptedPending, .adoptedShared].flatMap {
        waiting($0, source: source, seen, derived: .cancelled, below: .cancelled)
      }
    return Section(
      relations: relations, roles: adopterRoles,
      rows: rows + [
        // An adopter is not below the promise that it has adopted (rule 4.0).
        Row(
          .adoptedFulfilled, [.source, .derived, .below], .either, [source, derived, cancelled, .fulfilled], seen),
        Row(.adoptedFulfilled, [.adopted], .either, [source, derived, below, .fulfilled], seen),
        Row(.adoptedSettled, [.source, .derived, .below], .either, [source, derived, cancelled, .fulfilled], seen),
        Row(.adoptedSettled, [.adopted], .either, [source, derived, below, .fulfilled], seen),
        Row(.adoptedRejected, adopterRoles, .either, [source, .rejected, .rejected, .rejected], seen),
      ])
  }

  private static let adopterRoles: [Role] = [.source, .derived, .below, .adopted]

  /// If the adopted promise is cancelled, the adopter sees an ordinary rejection (rule 3.1). The handlers are those of
  /// `recover`.
  private static let recoveringAdopter = Section(
    relations: [.other(.thenRecovered)], roles: adopterRoles,
    rows: [Stage.adoptedPending, .adoptedShared].flatMap {
      waiting($0, source: .fulfilled, .never, derived: .cancelled, below: .pending, afterAdopted: .once(.reason))
    } + [
      Row(.adoptedRejected, [.adopted], .either, [.fulfilled, .rejected, .pending, .rejected], .once(.error)),
      Row(
        .adoptedRejected, [.source, .derived, .below], .either, [.fulfilled, .rejected, .cancelled, .rejected], .never),
    ])

  /// Returns the rows of a promise that has adopted a pending promise, or is about to. The last three arguments tell
  /// what happens if the adopted promise is cancelled.
  private static func waiting(
    _ stage: Stage, source: End, _ handlers: Handlers, derived: End, below: End, afterAdopted: Handlers? = nil
  ) -> [Row] {
    let isShared = stage == .returnsShared || stage == .adoptedShared
    let (adopted, hooks): (End, [Role]) = isShared ? (.pending, []) : (.cancelled, [.adopted])
    return [
      // Both calls make an adopter give up the promise that it has adopted (rule 4.2).
      Row(stage, [.source, .derived], .either, [source, .cancelled, .cancelled, adopted], handlers, hooks: hooks),
      Row(
        stage, [.adopted], .either, [source, derived, below, .cancelled], afterAdopted ?? handlers, hooks: [.adopted]),
      Row(stage, [.below], .down, [source, .pending, .cancelled, .pending], handlers),
      Row(stage, [.below], .upstream, [source, .cancelled, .cancelled, adopted], handlers, hooks: hooks),
    ]
  }

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
