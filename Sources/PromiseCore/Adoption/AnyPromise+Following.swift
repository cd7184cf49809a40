// The owner of a promise makes it follow another (rule 3.1).

extension AnyPromise {
  /// Makes this promise settle as `other` does, on behalf of its owner. Returns `false` if this promise was settled
  /// before.
  ///
  /// If this promise was cancelled, `other` is given up. While another thread cancels this promise, either answer may
  /// be right. If the canceller has found `other`, the owner came in time. If the owner's thread gives `other` up
  /// itself, the owner came too late.
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
    guard addFollow(reaction) else { return rejectFollow(for: other) }
    let wasOpen = other.isUnclaimed
    if reaction.wait(for: other) {
      return reaction.hasSettledTarget || wasOpen && wasCancelledThroughEdge(other, by: reaction)
    }
    let state = stateInOrder
    let isInTime = !state.isCancelledByCall || didFollowInTime(other, by: reaction, in: state)
    // Also if the owner came too late, because of the promises that this one followed before.
    confirmAdoption(of: other, by: reaction, in: state)
    return isInTime
  }

  /// Returns `false`, because this promise is settled. If it was cancelled, gives up the promise that its owner wanted
  /// it to follow (rule 3.1).
  private func rejectFollow(for other: AnyPromise) -> Bool {
    guard stateInOrder.isCancelled, stateInOrder.isCancelledByCall else { return false }
    // As if this promise had adopted the other one, which so has passed on the duty to handle its error (rule 7.1).
    if other.resolved.acquiredState.isDone { other.resolved.markDutyPassed() }
    giveUpWithThis(Departure(promise: other, isCounted: false, deadEntries: 0))
    return false
  }

  /// Makes `reaction` the newest of the reactions by which this promise follows others. Returns `false` if this promise
  /// was settled meanwhile.
  private func addFollow(_ reaction: AdoptingReaction) -> Bool {
    while isUnclaimed {
      // The promise has an owner, so its producer is a forward, which may be retained here.
      let previousFollow = producer.read(Reaction.self) { reaction in reaction.withAdopting { $0.retained } }
      reaction.previousFollow = previousFollow
      if producer.replace(previousFollow.map { location(of: $0) } ?? 0, by: location(of: reaction)) { return true }
    }
    return false
  }

  /// Whether `other` was settled by a cancel of this promise that had found the edge. `other` is settled, and was not
  /// when the owner's call began.
  private func wasCancelledThroughEdge(_ other: AnyPromise, by reaction: AdoptingReaction) -> Bool {
    // If the settlement of `other` has fired the reaction, the edge still stood, so no canceller had found it.
    !reaction.state.isFired && stateInOrder.isCancelledByCall && other.resolved.acquiredState.isCancelledByCall
  }

  /// Whether the owner came in time, although this promise was cancelled, or timed out by its owner, during the call.
  ///
  /// The canceller may have looked for the edge before it was published. Then this call gives `other` up itself. The
  /// answer is `true` if the canceller has found the edge, or if the promise has timed out, because the owner came
  /// before that.
  private func didFollowInTime(_ other: AnyPromise, by reaction: AdoptingReaction, in state: StateWord) -> Bool {
    if let left = reaction.endEdge() {
      giveUpWithThis(Departure(promise: left))
      return !state.isCancelled
    }
    // Another thread may have settled `other` before the canceller reached it.
    let otherState = other.resolved.acquiredState
    return !otherState.isClaimed || otherState.isCancelledByCall
  }

  /// Whether a pending promise that this one follows will settle it, even if its owner is deallocated.
  final var isFollowing: Bool { !producer.isEmpty }
}
