/// Two operations that race, with how a round of theirs is made.
struct Pair: Sendable {
  /// The threads' parts, and what is checked when both have ended.
  struct Round: Sendable {
    let first: @Sendable () -> Witness
    let second: @Sendable () -> Witness
    /// Throws a ``Violation``.
    let conclude: @Sendable () throws -> Void
  }

  let name: String
  /// Both work on the same promise: at most one settles it, and what they saw must not contradict the tickets.
  let isOfOne: Bool
  let round: @Sendable (Int) -> Round

  init(_ name: String, isOfOne: Bool = false, round: @escaping @Sendable (Int) -> Round) {
    self.name = name
    self.isOfOne = isOfOne
    self.round = round
  }

  /// One round: what tells who was first is added to the orders. In turn both begin together, or one when the other has begun: the later
  /// after that the more rounds there were, for to have begun is not yet to have settled a promise.
  func duel(_ number: Int, _ orders: PairOrders) -> Duel {
    let round = round(number)
    let tickets = Tickets()
    let (first, second) = (Stint(), Stint())
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
