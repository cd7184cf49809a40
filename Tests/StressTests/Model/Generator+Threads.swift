extension Generator {
  /// What one of several threads does, with what was there before and with what it makes itself.
  mutating func steps(_ count: Int, of thread: Int) -> [Step] {
    let before = (held, owners)
    defer { (held, owners) = before }
    steps = []
    while steps.count < count {
      number += 1
      switch roll(24) {
      case ..<1: addPromise(.make, isOwned: true)
      case ..<4: addLink()
      case ..<5: if let source = pick(held) { addPromise(.shield(source), isHandled: true) }
      case ..<6: addCombination()
      case ..<7: if let promise = pick(held) { steps.append(.observe(promise, Kind.observers[roll(3)], on: roll(3))) }
      case ..<10: if let owner = pick(owners) { steps.append(.settle(owner, ending())) }
      case ..<12: if let owner = pick(owners), let other = pick(held) { steps.append(.follow(owner, other)) }
      case ..<17: if let promise = pick(held) { steps.append(.cancel(promise, failure(), upstream: flip())) }
      case ..<18: if let owner = pick(owners) { steps.append(.hook(owner)) }
      case ..<19:
        // Of its own only, as below: another thread may have begun to follow it, and go on when what came after the drop is done.
        guard let promise = pick(held.filter { !before.0.contains($0) }) else { continue }
        held.removeAll { $0 == promise }
        steps.append(.drop(promise))
      case ..<20:
        // Of its own only: another thread may hold an owner for the time of a call, and so be the last to let it go.
        guard let owner = pick(owners.filter { !before.1.contains($0) }) else { continue }
        owners.removeAll { $0 == owner }
        steps.append(.dropOwner(owner))
      case ..<21: steps.append(.dropJobs(thread))
      default: steps.append(.run(thread))
      }
    }
    return steps
  }
}
