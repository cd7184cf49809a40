// An owner makes its promise follow another (rule 3.1).

extension AnyPromise {
  /// This promise, whose owner asks for it, becomes what `other` becomes. `false`: it is settled already, or it is as if it had been.
  ///
  /// If it was cancelled, the other is given up. While somebody cancels this promise there are two true answers. If the cancel has found
  /// the other promise, the owner came in time; if the owner gives it up itself, it came too late.
  @usableFromInline
  final func follow(_ other: AnyPromise, copyingBy copy: @escaping LinkFunction) -> Bool {
    guard isUnclaimed else { return comeTooLate(for: other) }
    let other = other.resolved
    if other === self {
      breakRing()
      return true
    }
    let link = AdoptingLink(from: nil, to: self, on: nil, traits: [.adopts, .forwards], body: LinkBody(copy))
    guard become(producedBy: link) else { return comeTooLate(for: other) }
    let wasOpen = other.isUnclaimed
    if link.wait(for: other) {
      return link.hasSettledTarget || wasOpen && isTakenAlong(other, by: link)
    }
    let state = cellInOrder
    let isInTime = !state.isCancelledByCall || isFound(other, by: link, in: state)
    // Also where it was too late, for those that it had followed before.
    confirmAdoption(of: other, by: link, in: state)
    return isInTime
  }

  /// This promise is settled: if it was cancelled, what its owner wanted it to follow is given up (rule 3.1).
  private func comeTooLate(for other: AnyPromise) -> Bool {
    guard cellInOrder.isCancelled, cellInOrder.isCancelledByCall else { return false }
    giveUpWithThis(Departure(promise: other, isCounted: false, deadEntries: 0))
    return false
  }

  /// Makes `link` the newest of the links by which this promise follows others. `false`: it was settled meanwhile.
  private func become(producedBy link: AdoptingLink) -> Bool {
    while isUnclaimed {
      // What an owner's promise follows it waits for by forwards.
      let elder = producer.read(Link.self) { link in link.withAdopting { $0.kept } }
      link.elder = elder
      if producer.replace(elder.map { location(of: $0) } ?? 0, by: location(of: link)) { return true }
    }
    return false
  }

  /// The other is settled, and was not when the owner came: by a cancel of this promise that found the edge?
  private func isTakenAlong(_ other: AnyPromise, by link: AdoptingLink) -> Bool {
    // Where the link was fired, the edge was still there.
    !link.state.isFired && cellInOrder.isCancelledByCall && other.resolved.cell.isCancelledByCall
  }

  /// Somebody has cancelled this promise, and may have looked for the edge too early to give the other up: then that is done here. `true`:
  /// who has cancelled it has found the edge; or its time was up, and the owner came before that.
  private func isFound(_ other: AnyPromise, by link: AdoptingLink, in state: CellWord) -> Bool {
    if let left = link.leave() {
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
