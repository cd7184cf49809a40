/// A reaction whose promise adopts another: the one its handler returned, or the one its owner follows.
///
/// - `adopted`: the adopted promise, not kept alive: its own producer does that. Who retires it has won the adoption: the
///   thread that settles the adopted promise forwards the outcome; a thread that detaches takes a consumer away.
/// - `previousFollow`: the reaction of an earlier `follow` of the same promise (rule 3.4). Written before the reaction is published.
///
/// `@unchecked Sendable`: `previousFollow` is constant from then on, until the last who holds the reaction lets it go.
package class AdoptingReaction: Reaction, @unchecked Sendable {
  final let adopted = PinnedReference()
  final var previousFollow: AdoptingReaction?
  /// The stripe of the family in which this reaction may have a place after it has released its source (rule 6.1). Changed while no other
  /// thread can read the reaction, as is `done`.
  final var stripe: FamilyStripe?
  /// What the source had done of the target's weight, and what the adopted promise adds (rule 5.4). No numbers as long as it is retained, and
  /// for an owner's. Not optional, which would take more room than the block has.
  final var done: (amount: Double, share: Double) = (.nan, .nan)
  /// How many adopted one another in a line up to this reaction since the line was last walked, and when it is to be walked again. Belongs
  /// to whoever owns the list that the reaction is in.
  final var line: (length: Int32, limit: Int32) = (0, 16)

  deinit { if previousFollow != nil { releasePreviousFollows() } }

  /// A long line of previous follows is let go one by one, not by recursion (rule 6.4).
  @inline(never)
  private func releasePreviousFollows() {
    while previousFollow != nil, isKnownUniquelyReferenced(&previousFollow) {
      let next = previousFollow?.previousFollow
      previousFollow?.previousFollow = nil
      previousFollow = next
    }
  }
}

// For who reads a reaction through a pin: methods, because a closure would count a reference to it (see `PinnedReference.read`).
extension AdoptingReaction {
  /// The reaction, kept. Only for a forward: nobody lets that go before it was retired where it is read. A handler's reaction may be in its `deinit`.
  final var kept: AdoptingReaction {
    // Apart from `assert`, which would capture this reaction.
    let isForward = traits.contains(.forwards)
    assert(isForward)
    return self
  }

  /// The newest reaction, of this one and its previous follows, whose edge the caller may still have to end. `nil` if there is none.
  ///
  /// A thread that has ended the edge of this reaction may be about to release it, so it is not returned then. Its previous follow can
  /// be: this reaction retains that as long as it is pinned.
  final var newestToLeave: AdoptingReaction? {
    guard adopted.pin() != nil else { return previousFollow }
    defer { adopted.unpin() }
    return self
  }
}
