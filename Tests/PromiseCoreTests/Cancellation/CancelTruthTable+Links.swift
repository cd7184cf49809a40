extension CancelTruthTable {
  /// Links with a handler that has not returned yet.
  static let links = [valueLinks, errorLinks, twoHandlers, always]

  private static let roles: [Role] = [.source, .derived, .below]

  private static let valueLinks = Section(
    relations: [.map, .tap, .validate, .compactMap, .then], roles: roles,
    rows: [
      Row(.pending, [.source], .either, [.cancelled, .cancelled, .cancelled], .never, hooks: [.source]),
      Row(.pending, [.derived], .cancel, [.pending, .cancelled, .cancelled], .never),
      Row(.pending, [.derived, .below], .abandon, [.cancelled, .cancelled, .cancelled], .never, hooks: [.source]),
      Row(
        .pending, [.below], .cancel, [.pending, .pending, .cancelled], .later(ifFulfilled: .value, ifRejected: nil)),
      Row(.shared, [.source], .either, [.cancelled, .cancelled, .cancelled], .never, hooks: [.source]),
      Row(.shared, [.derived], .either, [.pending, .cancelled, .cancelled], .never),
      Row(.shared, [.below], .cancel, [.pending, .pending, .cancelled], .later(ifFulfilled: .value, ifRejected: nil)),
      Row(.shared, [.below], .abandon, [.pending, .cancelled, .cancelled], .never),
      Row(.fulfilled, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled], .never),
      Row(.fulfilled, [.below], .cancel, [.fulfilled, .pending, .cancelled], .once(.value)),
      Row(.fulfilled, [.below], .abandon, [.fulfilled, .cancelled, .cancelled], .never),
      Row(.rejected, [.source, .derived, .below], .either, [.rejected, .rejected, .rejected], .never),
      Row(.running, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled], .once(.value)),
      Row(.running, [.below], .cancel, [.fulfilled, .pending, .cancelled], .once(.value)),
      Row(.running, [.below], .abandon, [.fulfilled, .cancelled, .cancelled], .once(.value)),
    ])

  private static let errorLinks = Section(
    relations: [.recover, .rescue, .catch, .mapError], roles: roles,
    rows: [
      Row(.pending, [.source], .either, [.cancelled, .cancelled, .cancelled], .once(.reason), hooks: [.source]),
      Row(
        .pending, [.derived], .cancel, [.pending, .cancelled, .cancelled], .later(ifFulfilled: nil, ifRejected: .error)),
      Row(
        .pending, [.derived, .below], .abandon, [.cancelled, .cancelled, .cancelled], .once(.reason), hooks: [.source]),
      Row(.pending, [.below], .cancel, [.pending, .pending, .cancelled], .later(ifFulfilled: nil, ifRejected: .error)),
      Row(.fulfilled, [.source, .derived, .below], .either, [.fulfilled, .fulfilled, .cancelled], .never),
      Row(.rejected, [.source, .derived], .either, [.rejected, .cancelled, .cancelled], .once(.error)),
      Row(.rejected, [.below], .cancel, [.rejected, .pending, .cancelled], .once(.error)),
      Row(.rejected, [.below], .abandon, [.rejected, .cancelled, .cancelled], .once(.error)),
      Row(.running, [.source, .derived], .either, [.rejected, .cancelled, .cancelled], .once(.error)),
      Row(.running, [.below], .cancel, [.rejected, .pending, .cancelled], .once(.error)),
      Row(.running, [.below], .abandon, [.rejected, .cancelled, .cancelled], .once(.error)),
    ])

  private static let twoHandlers = Section(
    relations: [.mapBoth, .thenBoth], roles: roles,
    rows: [
      Row(.pending, [.source], .either, [.cancelled, .cancelled, .cancelled], .once(.reason), hooks: [.source]),
      Row(
        .pending, [.derived], .cancel, [.pending, .cancelled, .cancelled], .later(ifFulfilled: nil, ifRejected: .error)),
      Row(
        .pending, [.derived, .below], .abandon, [.cancelled, .cancelled, .cancelled], .once(.reason), hooks: [.source]),
      Row(
        .pending, [.below], .cancel, [.pending, .pending, .cancelled], .later(ifFulfilled: .value, ifRejected: .error)),
      Row(.fulfilled, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled], .never),
      Row(.fulfilled, [.below], .cancel, [.fulfilled, .pending, .cancelled], .once(.value)),
      Row(.fulfilled, [.below], .abandon, [.fulfilled, .cancelled, .cancelled], .never),
      Row(.rejected, [.source, .derived], .either, [.rejected, .cancelled, .cancelled], .once(.error)),
      Row(.rejected, [.below], .cancel, [.rejected, .pending, .cancelled], .once(.error)),
      Row(.rejected, [.below], .abandon, [.rejected, .cancelled, .cancelled], .once(.error)),
      Row(.running, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled], .once(.value)),
      Row(.running, [.below], .cancel, [.fulfilled, .pending, .cancelled], .once(.value)),
      Row(.running, [.below], .abandon, [.fulfilled, .cancelled, .cancelled], .once(.value)),
    ])

  private static let always = Section(
    relations: [.always], roles: roles,
    rows: [
      Row(.pending, [.source], .either, [.cancelled, .cancelled, .cancelled], .once(.reason), hooks: [.source]),
      Row(.pending, [.derived], .cancel, [.pending, .cancelled, .cancelled], .once(.reason)),
      Row(
        .pending, [.derived, .below], .abandon, [.cancelled, .cancelled, .cancelled], .once(.reason), hooks: [.source]),
      Row(
        .pending, [.below], .cancel, [.pending, .pending, .cancelled], .later(ifFulfilled: .value, ifRejected: .error)),
      Row(.shared, [.source], .either, [.cancelled, .cancelled, .cancelled], .once(.reason), hooks: [.source]),
      Row(.shared, [.derived], .either, [.pending, .cancelled, .cancelled], .once(.reason)),
      Row(
        .shared, [.below], .cancel, [.pending, .pending, .cancelled], .later(ifFulfilled: .value, ifRejected: .error)),
      Row(.shared, [.below], .abandon, [.pending, .cancelled, .cancelled], .once(.reason)),
      Row(.fulfilled, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled], .once(.value)),
      Row(.fulfilled, [.below], .cancel, [.fulfilled, .pending, .cancelled], .once(.value)),
      Row(.fulfilled, [.below], .abandon, [.fulfilled, .cancelled, .cancelled], .once(.value)),
      Row(.rejected, [.source, .derived], .either, [.rejected, .cancelled, .cancelled], .once(.error)),
      Row(.rejected, [.below], .cancel, [.rejected, .pending, .cancelled], .once(.error)),
      Row(.rejected, [.below], .abandon, [.rejected, .cancelled, .cancelled], .once(.error)),
      Row(.running, [.source, .derived], .either, [.fulfilled, .cancelled, .cancelled], .once(.value)),
      Row(.running, [.below], .cancel, [.fulfilled, .pending, .cancelled], .once(.value)),
      Row(.running, [.below], .abandon, [.fulfilled, .cancelled, .cancelled], .once(.value)),
    ])
}
