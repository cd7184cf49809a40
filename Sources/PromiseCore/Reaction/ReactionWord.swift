/// The state of one reaction, as one word: where it stands in a list, what it handles, and how far it has come.
///
///      63 ………… 48   47 …………………… 4    3          2          1       0
///     ┌────────────┬──────────────┬─────────┬──────────┬───────┬─────────┐
///     │ traits     │ next reaction    │ settled │ detached │ fired │ started │
///     └────────────┴──────────────┴─────────┴──────────┴───────┴─────────┘
///
///               start                      detach
///     waiting ─────────▶ started      waiting ────────▶ detached
///
/// `started` and `detached` exclude each other by who comes first; the first owns the reaction's closure: it runs it, or
/// releases it (rules 2.1 and 2.5). The same holds for `halved` and the one closure for the value of a reaction that has
/// two. The pointer to the next reaction belongs to whoever owns the list that the reaction is in.
package struct ReactionWord: Equatable, Sendable {
  package var bits: UInt64

  package init(bits: UInt64) { self.bits = bits }
  package init(_ traits: Reaction.Traits) { bits = UInt64(traits.rawValue) << 48 }

  static let startedBit: UInt64 = 1 << 0
  static let firedBit: UInt64 = 1 << 1
  static let detachedBit: UInt64 = 1 << 2
  static let settledBit: UInt64 = 1 << 3
  /// A trait that a forked reaction acquires.
  static let halvedBit = UInt64(Reaction.Traits.halved.rawValue) << 48
  static let nextMask: UInt64 = 0x0000_FFFF_FFFF_FFF0

  package var isStarted: Bool { bits & Self.startedBit != 0 }
  package var isDetached: Bool { bits & Self.detachedBit != 0 }
  /// Its source is settled and has given the reaction away; the reaction retains the source.
  package var isFired: Bool { bits & Self.firedBit != 0 }
  /// The reaction, as a forward, has settled its target.
  package var hasSettled: Bool { bits & Self.settledBit != 0 }
  /// The handler for the value was let go.
  package var isHalved: Bool { traits.contains(.halved) }
  package var next: UInt64 { bits & Self.nextMask }
  package var traits: Reaction.Traits { Reaction.Traits(rawValue: UInt16(truncatingIfNeeded: bits >> 48)) }

  /// What must be flipped, in one atomic step that leaves the other bits alone, to point to `next`.
  package func flip(next: UInt64) -> UInt64 { self.next ^ next }
}
