// An owner makes its promise follow another (rule 3.1).

extension AnyPromise {
  /// This promise, whose owner asks for it, becomes what `other` becomes. `false`: it is settled already, or it is as if it had been.
  ///
  /// If it was cancelled, the other is given up. While somebody cancels this promise there are two true answers. If the cancel has found
  /// the other promise, the owner came in time; if the owner gives it up itself, it came too late.
  @usableFromInline
  final func follow(_ other: AnyPromise, copyingBy copy: @escaping ReactionFunction) -> Bool {
    guard isUnclaimed else { return rejectFollow(for: other) }
    let other = other.resolved
    if other === self {
      breakRing()
      return true
    }
    let reaction = AdoptingReaction(
      from: nil, to: self, on: nil, traits: [.adopts, .forwards], body: ReactionBody(copy))
    guard become(producedBy: reaction) else { return rejectFollow(for: other) }
    let wasOpen = other.isUnclaimed
    if reaction.wait(for: other) {
      return reaction.hasSettledTarget || wasOpen && isTakenAlong(other, by: reaction)
    }
    let state = cellInOrder
    let isInTime = !state.isCancelledByCall || isFound(other, by: reaction, in: state)
    // Also where it was too late, for those that it had followed before.
    confirmAdoption(of: other, by: reaction, in: state)
    return isInTime
  }

  /// This promise is settled: if it was cancelled, what its owner wanted it to follow is given up (rule 3.1).
  private func rejectFollow(for other: AnyPromise) -> Bool {
    guard cellInOrder.isCancelled, cellInOrder.isCancelledByCall else { return false }
    giveUpWithThis(Departure(promise: other, isCounted: false, deadEntries: 0))
    return false
  }

  /// Makes `reaction` the newest of the reactions by which this promise follows others. `false`: it was settled meanwhile.
  private func become(producedBy reaction: AdoptingReaction) -> Bool {
    while isUnclaimed {
      // What an owner's promise follows it waits for by forwards.
      let previousFollow = producer.read(Reaction.self) { reaction in reaction.withAdopting { $0.kept } }
      reaction.previousFollow = previousFollow
      if producer.replace(previousFollow.map { location(of: $0) } ?? 0, by: location(of: reaction)) { return true }
    }
    return false
  }

  /// The other is settled, and was not when the owner came: by a cancel of this promise that found the edge?
  private func isTakenAlong(_ other: AnyPromise, by reaction: AdoptingReaction) -> Bool {
    // Where the reaction was fired, the edge was still there.
    !reaction.state.isFired && cellInOrder.isCancelledByCall && other.resolved.cell.isCancelledByCall
  }

  /// Somebody has cancelled this promise, and may have looked for the edge too early to give the other up: then that is done here. `true`:
  /// who has cancelled it has found the edge; or its time was up, and the owner came before that.
  private func isFound(_ other: AnyPromise, by reaction: AdoptingReaction, in state: StateWord) -> Bool {
    if let left = reaction.leave() {
      giveUpWithThis(Departure(promise: left))
      return !state.isCancelled
    }
    // Somebody else may have been quicker to settle it.
    let otherState = other.resolved.cell
    return !otherState.isClaimed || otherState.isCancelledByCall
  }

  /// Another promise, followed and not settled yet, will settle this one, even if its owner goes away.
  final var isFollowing: Bool { !producer.isEmpty }
}
