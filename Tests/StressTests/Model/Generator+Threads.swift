extension Generator {
  /// Returns the steps of one of several threads. They use the promises of the prefix and those that the thread makes
  /// itself.
  mutating func steps(_ count: Int, of thread: Int) -> [Step] {
    let before = (held, owners)
    defer { (held, owners) = before }
    steps = []
    while steps.count < count {
      number += 1
      switch roll(26) {
      case ..<1: addPromise(.make, isOwned: true)
      case ..<4: addLink()
      case ..<5: if let source = pick(held) { addPromise(.shield(source), isHandled: true) }
      case ..<6: addCombination()
      case ..<7:
        guard let promise = pick(held) else { continue }
        steps.append(.observe(promise, observer(), on: roll(3)))
      case ..<10: if let owner = pick(owners) { steps.append(.settle(owner, ending())) }
      case ..<12: if let owner = pick(owners), let other = pick(held) { steps.append(.follow(owner, other)) }
      case ..<17: if let promise = pick(held) { steps.append(.cancel(promise, failure(), upstream: flip())) }
      case ..<18: if let owner = pick(owners) { steps.append(.hook(owner)) }
      case ..<19:
        // A thread drops only promises of its own. Another thread may have begun to follow a shared promise, and may
        // continue when the steps after the drop are done.
        guard let promise = pick(held.filter { !before.0.contains($0) }) else { continue }
        held.removeAll { $0 == promise }
        steps.append(.drop(promise))
      case ..<20:
        // A thread drops only owners of its own. Another thread may hold a shared owner during a call, and so be the
        // last to release it.
        guard let owner = pick(owners.filter { !before.1.contains($0) }) else { continue }
        owners.removeAll { $0 == owner }
        steps.append(.dropOwner(owner))
      case ..<21: steps.append(.dropJobs(thread))
      case ..<23: if let owner = pick(owners) { steps.append(.report(owner, eighths: 1 + roll(9))) }
      default: steps.append(.run(thread))
      }
    }
    return steps
  }
}
