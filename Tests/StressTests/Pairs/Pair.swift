/// Two operations that race, and the closure that makes their rounds.
struct Pair: Sendable {
  /// The parts of the two threads, and the check for when both have ended.
  struct Round: Sendable {
    let first: @Sendable () -> SeenSettlement
    let second: @Sendable () -> SeenSettlement
    /// Checks the result of the round. Throws a ``Violation``.
    let conclude: @Sendable () throws -> Void
  }

  let name: String
  /// Whether both operations work on the same promise. Then at most one of them settles it, and their witnesses must
  /// not contradict the tickets.
  let isOfOne: Bool
  let round: @Sendable (Int) -> Round

  init(_ name: String, isOfOne: Bool = false, round: @escaping @Sendable (Int) -> Round) {
    self.name = name
    self.isOfOne = isOfOne
    self.round = round
  }

  /// Returns the duel of a round, which adds the order of the operations to `orders`. In turn, both operations begin
  /// together, or one operation begins after the other has begun. The delay grows with the number of rounds, because an
  /// operation that has begun may not have settled a promise yet.
  func duel(_ number: Int, _ orders: PairOrders) -> Duel {
    let round = round(number)
    let tickets = Tickets()
    let first = SideOfRound()
    let second = SideOfRound()
    return Duel {
      if number % 4 == 3 { second.waitForStart(plus: 16 * number) }
      first.run(tickets, round.first)
    } second: {
      if number % 4 == 1 { first.waitForStart(plus: 16 * number) }
      second.run(tickets, round.second)
    } firstCameFirst: {
      do {
        try round.conclude()
        return try orders.add(first, second, isOfOne: isOfOne)
      } catch let violation as Violation {
        throw Violation(description: "\(name), round \(number): \(violation)")
      }
    }
  }
}
