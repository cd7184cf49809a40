/// A link whose promise adopts another: the one its handler returned, or the one its owner follows.
///
/// - `inner`: the adopted promise, not kept alive: its own producer does that. Who retires it has won the adoption: the
///   thread that settles the adopted promise forwards the outcome; a thread that detaches takes a consumer away.
/// - `elder`: the link of an earlier `follow` of the same promise (rule 3.4). Written before the link is published.
///
/// `@unchecked Sendable`: `elder` is constant from then on, until the last who holds the link lets it go.
package class AdoptingLink: Link, @unchecked Sendable {
  final let inner = PinnedReference()
  final var elder: AdoptingLink?
  /// The stripe of the family in which this link may have a place after it has released its source (rule 6.1). Changed while no other
  /// thread can read the link, as is `done`.
  final var stripe: FamilyStripe?
  /// What the source had done of the target's weight, and what the adopted promise adds (rule 5.4). No numbers as long as it is retained, and
  /// for an owner's. Not optional, which would take more room than the block has.
  final var done: (amount: Double, share: Double) = (.nan, .nan)
  /// How many adopted one another in a line up to this link since the line was last walked, and when it is to be walked again. Belongs
  /// to whoever owns the list that the link is in.
  final var line: (length: Int32, limit: Int32) = (0, 16)

  deinit { if elder != nil { releaseElders() } }

  /// A long line of elders is let go one by one, not by recursion (rule 6.4).
  @inline(never)
  private func releaseElders() {
    while elder != nil, isKnownUniquelyReferenced(&elder) {
      let next = elder?.elder
      elder?.elder = nil
      elder = next
    }
  }
}

// For who reads a link through a pin: methods, because a closure would count a reference to it (see `PinnedReference.read`).
extension AdoptingLink {
  /// The link, kept. Only for a forward: nobody lets that go before it was retired where it is read. A handler's link may be in its `deinit`.
  final var kept: AdoptingLink {
    // Apart from `assert`, which would capture this link.
    let isForward = traits.contains(.forwards)
    assert(isForward)
    return self
  }

  /// The same for any link: `nil` if its edge has ended, or there was none. Who ends an edge does so before it lets the link go.
  final var keptWithEdge: AdoptingLink? {
    guard inner.pin() != nil else { return nil }
    defer { inner.unpin() }
    return self
  }
}
