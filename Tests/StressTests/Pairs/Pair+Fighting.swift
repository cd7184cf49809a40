import Testing

extension Pair {
  /// Runs rounds of all pairs, and further rounds of the pairs of which an order has not been seen yet. In full runs, a
  /// pair whose operations were never seen at the same time also gets further rounds. That is not required, because a
  /// machine that is busy or has a single core may not show it.
  static func fight(_ pairs: [Pair], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let fights = pairs.map { (pair: $0, orders: PairOrders()) }
    var rounds = 0
    var left = fights[...]
    while !left.isEmpty, rounds < max(1_000, 3 * Effort.roundsOfPair) {
      // Many rounds share threads, because starting threads takes far longer than a round.
      let numbers = rounds..<rounds + min(max(200 / left.count, 1), Effort.roundsOfPair)
      let duels = numbers.flatMap { number in left.map { $0.pair.duel(number, $0.orders) } }
      Duel.fight(duels, rounds: numbers.flatMap { number in left.map { _ in number } })
      for duel in duels { _ = try duel.firstCameFirst() }
      rounds = numbers.upperBound
      if rounds >= Effort.roundsOfPair {
        left = left.filter { !$0.orders.areComplete || Effort.isFull && $0.orders.together == 0 }[...]
      }
    }
    for (pair, orders) in fights {
      #expect(orders.areComplete, "\(pair.name): \(orders)", sourceLocation: sourceLocation)
    }
  }
}
