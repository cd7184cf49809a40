/// The state of one reaction in one word: its next reaction in a list, its traits, and how far it has come.
///
///      63 ………… 48   47 …………………… 4    3         2          1       0
///     ┌────────────┬────────────────┬─────────┬──────────┬───────┬─────────┐
///     │ traits     │ next reaction  │ settled │ detached │ fired │ started │
///     └────────────┴────────────────┴─────────┴──────────┴───────┴─────────┘
///
///               start                      detach
///     waiting ─────────▶ started      waiting ────────▶ detached
///
/// Invariant: the thread that first sets `started` or `detached` wins the reaction, and owns its closure. It runs the
/// closure or releases it (rules 2.1 and 2.5). In the same way, the thread that first sets the trait
/// `hasReleasedFulfilled`, before `started` and `detached`, owns the closure for the value of a reaction with two
/// closures.
///
/// Invariant: the pointer to the next reaction belongs to the owner of the list that contains the reaction.
package struct ReactionWord: Equatable, Sendable {
  package var bits: UInt64

  package init(bits: UInt64) { self.bits = bits }
  package init(_ traits: Reaction.Traits) { bits = UInt64(traits.rawValue) << 48 }

  static let startedBit: UInt64 = 1 << 0
  static let firedBit: UInt64 = 1 << 1
  static let detachedBit: UInt64 = 1 << 2
  static let settledBit: UInt64 = 1 << 3
  /// A trait that a forked reaction may acquire.
  static let releasedFulfilledBit = UInt64(Reaction.Traits.hasReleasedFulfilled.rawValue) << 48
  static let nextMask: UInt64 = 0x0000_FFFF_FFFF_FFF0

  package var isStarted: Bool { bits & Self.startedBit != 0 }
  package var isDetached: Bool { bits & Self.detachedBit != 0 }
  /// The source is settled and has fired the reaction, which was not detached then. The reaction retains the source.
  package var isFired: Bool { bits & Self.firedBit != 0 }
  /// The reaction retains its context, if it has one. The first thread that fires, starts or detaches the reaction
  /// takes it over.
  package var retainsContext: Bool { bits & (Self.startedBit | Self.firedBit | Self.detachedBit) == 0 }
  /// The reaction has settled its target with the outcome of the adopted promise.
  package var hasSettled: Bool { bits & Self.settledBit != 0 }
  /// The handler for the value was taken out.
  package var hasReleasedFulfilled: Bool { traits.contains(.hasReleasedFulfilled) }
  package var next: UInt64 { bits & Self.nextMask }
  package var traits: Reaction.Traits { Reaction.Traits(rawValue: UInt16(truncatingIfNeeded: bits >> 48)) }

  /// Returns the bits to flip in order to point to `next`. One atomic step flips them, and leaves the other bits alone.
  package func flip(next: UInt64) -> UInt64 { self.next ^ next }
}
