import TestSupport
import Testing

extension Stress {
  /// Races of every operation on a promise with every other operation, on the same promise and on two connected
  /// promises.
  ///
  /// Some invariants hold in every order. At most one operation settles the promise, and each operation finds it
  /// settled or pending correctly. The promises that the rules settle are settled, and no others. Handlers run as often
  /// as the rules say, and all objects are released.
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
