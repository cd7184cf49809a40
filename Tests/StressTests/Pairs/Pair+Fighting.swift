import Testing

extension Pair {
  /// Rounds of all these, and more of those of which an order has not been seen yet, or, where there is time, both at the same time:
  /// a machine with other work, or with one core, may not show that.
  static func fight(_ pairs: [Pair], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let fights = pairs.map { (pair: $0, orders: PairOrders()) }
    var rounds = 0
    var left = fights[...]
    while !left.isEmpty, rounds < max(1_000, 3 * Effort.roundsOfPair) {
      // Many on the same threads: to start these takes far longer than a round.
      let numbers = rounds..<rounds + min(max(200 / left.count, 1), Effort.roundsOfPair)
      let duels = numbers.flatMap { number in left.map { $0.pair.duel(number, $0.orders) } }
      Duel.fight(duels, rounds: numbers.flatMap { number in left.map { _ in number } }, lead: 0)
      for duel in duels { _ = try duel.firstCameFirst() }
      rounds = numbers.upperBound
      if rounds >= Effort.roundsOfPair {
        left = left.filter { !$0.orders.areComplete || Effort.isFull && $0.orders.together == 0 }[...]
      }
    }
    for (pair, orders) in fights {
      #expect(orders.areComplete, "\(pair.name): \(orders)", sourceLocation: sourceLocation)
      RaceReport.add(pair.name, first: orders.first, second: orders.second, together: orders.together)
    }
  }
}
