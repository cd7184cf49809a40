import PromiseCore
import TestSupport
import Testing

extension Stress {
  /// Every operation on a promise against every other, on the same promise and on two that hang together.
  ///
  /// Whatever comes first: at most one of them settles the promise, who found it settled or pending was right, what must
  /// be settled is settled and nothing else, handlers ran as often as the rules say, and all is released.
  @Suite("Races: every pair of operations")
  struct PairRaceTests {
    struct Side: CustomTestStringConvertible, Sendable {
      let situation: Situation
      let index: Int
      var testDescription: String { "\(situation): \(situation.operations.first[index].name)" }

      static let all = Situation.allCases.flatMap { situation in
        situation.operations.first.indices.map { Side(situation: situation, index: $0) }
      }
    }

    @Test(
      "An operation keeps the rules in a race with every other operation",
      .rule("1.1", "2.1", "4.1", "6.1", "8.1", "8.2"), arguments: Side.all)
    func pairs(_ side: Side) throws {
      try Pair.fight(side.situation.pairs(with: side.index))
    }
  }
}
