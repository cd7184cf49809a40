/// A reaction whose target adopts another promise. That is the promise which a handler returned (rule 2.6), or one that
/// an owner follows (rule 3.1).
///
/// Once the adopted promise is known, the reaction is called a *forward* (`Traits.forwards`). It then waits in the list
/// of the adopted promise, has no handler, and passes the outcome on to its target.
///
/// - `adopted`: the *edge* to the adopted promise. The edge does not retain the adopted promise, which is retained by
///   its own producer. An edge is ended by retiring this reference. Exactly one thread ends it. If that is the thread
///   that settles the adopted promise, it passes the outcome on. Any other thread takes the target away from the
///   consumers of the adopted promise.
/// - `previousFollow`: the reaction of the owner's previous `follow` of the same target (rule 3.4). Written before the
///   reaction is published.
///
/// `@unchecked Sendable`: after publication `previousFollow` is constant, until the last reference to the reaction is
/// released.
package class AdoptingReaction: Reaction, @unchecked Sendable {
  final let adopted = PinnedReference()
  final var previousFollow: AdoptingReaction?
  /// The stripe of the family in which this reaction may still have a place after it has released its source (rule
  /// 6.1).
  ///
  /// Like `keptShares`, written only while no other thread can read the reaction.
  final var stripe: FamilyStripe?
  /// What the source had done of the target's weight, and the share that the adopted promise adds (rule 5.4).
  ///
  /// Not a number while the source is retained, and for a reaction made by an owner's `follow`. Not optional, because
  /// an optional would not fit into the memory block that the object occupies anyway.
  final var keptShares: (amount: Double, share: Double) = (.nan, .nan)
  /// The length of the line of adopters that ends at this reaction's target, and the length at which the line is walked
  /// again.
  ///
  /// In a *line* each promise has adopted the next one. The length is counted from the last walk, see `shortenLine`.
  /// Accessed by the owner of the reaction, or by the owner of the list that contains it.
  final var line: (length: Int32, limit: Int32) = (0, 16)

  deinit { if previousFollow != nil { releasePreviousFollows() } }

  /// Releases a long chain of previous follows in a loop, not by recursion (rule 6.4).
  @inline(never)
  private func releasePreviousFollows() {
    while previousFollow != nil, isKnownUniquelyReferenced(&previousFollow) {
      let next = previousFollow?.previousFollow
      previousFollow?.previousFollow = nil
      previousFollow = next
    }
  }
}

// Used while a reaction is read through a pin. These are methods, because a closure would count a reference to the
// reaction (see `PinnedReference.read`).
extension AdoptingReaction {
  /// A strong reference to this reaction, which must be a forward.
  ///
  /// A forward is not released before it was retired where it is read. The reaction of a handler may be in its
  /// `deinit`, and must not be retained.
  final var retained: AdoptingReaction {
    // Outside `assert`, whose autoclosure would capture this reaction.
    let isForward = traits.contains(.forwards)
    assert(isForward)
    return self
  }

  /// The newest reaction, of this one and its previous follows, whose edge the caller may still have to end. `nil` if
  /// there is none.
  ///
  /// If the edge of this reaction has ended, the thread that ended it may be about to release the reaction, so it
  /// cannot be returned. Its previous follow can, because this reaction retains that while this reaction is pinned.
  final var newestToEnd: AdoptingReaction? {
    guard adopted.pin() != nil else { return previousFollow }
    defer { adopted.unpin() }
    return self
  }
}
