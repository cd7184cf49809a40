import Testing

extension Pair {
  /// How many rounds start together: to start threads takes far longer than a round.
  private static let roundsInARow = 200

  /// Rounds of all these, and more of those of which an order has not been seen yet, or, where there is time, both at the same time.
  static func fight(_ pairs: [Pair], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let fights = pairs.map { (pair: $0, orders: Orders()) }
    var rounds = 0
    var left = fights[...]
    while !left.isEmpty, rounds < 50 * max(Effort.roundsOfPair, 40) {
      let isExtra = rounds >= Effort.roundsOfPair
      let count = min(max(roundsInARow / left.count, 1), isExtra ? .max : Effort.roundsOfPair - rounds)
      // A multiple, for a long spin of who is to be late, also in the first rounds.
      let numbers = (rounds..<rounds + count).flatMap { number in left.map { _ in number * 40 } }
      let duels = (rounds..<rounds + count).flatMap { number in left.map { $0.pair.duel(number, $0.orders) } }
      Duel.fight(duels, rounds: numbers, lead: isExtra && left.count < 20 ? Duel.lead(inExtra: rounds / roundsInARow) : 0)
      for duel in duels { _ = try duel.firstCameFirst() }
      rounds += count
      if rounds >= Effort.roundsOfPair { left = left.filter { !$0.orders.areComplete }[...] }
    }
    for (pair, orders) in fights {
      #expect(orders.areComplete, "\(pair.name): \(orders)", sourceLocation: sourceLocation)
      RaceReport.add(pair.name, first: orders.first, second: orders.second, together: orders.together)
    }
  }
}
