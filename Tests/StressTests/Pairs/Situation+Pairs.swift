import PromiseCore

extension Situation {
  /// Returns all pairs with the operation of the first side at the index.
  func pairs(with index: Int) -> [Pair] {
    let (firsts, seconds) = operations
    return (isSymmetric ? seconds[index...] : seconds[...]).map { pair(firsts[index], $0) }
  }

  private func pair(_ first: Operation<Node>, _ second: Operation<Node>) -> Pair {
    Pair("\(rawValue): \(first.name) × \(second.name)", isOfOne: isOfOne) { number in
      let stage = PromiseStage(round: number)
      let (one, other) = nodes(on: stage)
      return Pair.Round(first: first.prepare(one), second: second.prepare(other)) {
        try check(one, first.effect, other, second.effect)
        try stage.conclude(isOfOne ? [one] : [one, other])
        try stage.checkReleased()
      }
    }
  }

  /// Checks, after both threads have ended, that promises are settled or pending as the rules say.
  private func check(_ first: Node, _ one: Effect, _ second: Node, _ other: Effect) throws {
    if settles(one) || isOfOne && settles(other) { try Violation.unless(!first.isPending, "the first is pending") }
    if settles(other) { try Violation.unless(!second.isPending, "the second is pending") }
    guard one == .none, isOneWay ? other != .givesUp && other != .mayGiveUp : isOfOne && other == .none,
      self != .unobserved
    else { return }
    if let promise = first.promise.object { try Violation.unless(promise.isPending, "the first is \(promise.state)") }
  }

  private func settles(_ effect: Effect) -> Bool { effect == .settles || effect == .givesUp }
}
