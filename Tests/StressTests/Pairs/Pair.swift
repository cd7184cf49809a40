import Synchronization
import TestSupport
import Testing

/// Two operations that race, with how a round of theirs is made.
///
/// Which came *first* is told by tickets, which each side draws before and after its operation: one that had ended before the
/// other began was first. Of two that were under way at the same time it is told by what they saw, where that tells (who settled
/// the promise came before who found it settled, and after who found it pending), else by who began.
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
  var isOfOne = true
  let round: @Sendable (Int) -> Round

  /// How often each order was seen.
  private final class Orders {
    var overlapping = 0
    var rounds = 0
    var first = 0
  }

  /// Rounds until each order has been seen, and, where time is given, both at the same time.
  func fight(_ rounds: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let orders = Orders()
    repeat {
      try Duel.repeated(rounds, named: nil, sourceLocation: sourceLocation) { number in
        let round = round(number)
        let tickets = Tickets()
        let (first, second) = (Stint(), Stint())
        return Duel {
          first.run(tickets, round.first)
        } second: {
          second.run(tickets, round.second)
        } firstCameFirst: {
          do {
            try round.conclude()
            let order = try order(first, second)
            orders.rounds += 1
            orders.overlapping += order.isTogether ? 1 : 0
            orders.first += order.isFirst ? 1 : 0
            return order.isFirst
          } catch let violation as Violation {
            throw Violation(description: "\(name), round \(number): \(violation)")
          }
        }
      }
    } while Effort.isFull && orders.overlapping == 0 && orders.rounds < 50 * rounds
    #expect(
      !Effort.isFull || orders.overlapping > 0, "\(name): never at the same time", sourceLocation: sourceLocation)
    RaceReport.add(
      name, first: orders.first, second: orders.rounds - orders.first, together: orders.overlapping)
  }

  private func order(_ first: Stint, _ second: Stint) throws -> (isFirst: Bool, isTogether: Bool) {
    let (one, other) = (first.witness, second.witness)
    if isOfOne { try Violation.unless(one != .settled || other != .settled, "settled twice") }
    let seen: Bool? =
      switch (one, other) {
      case (.settled, .after), (.before, .settled): true
      case (.after, .settled), (.settled, .before): false
      default: nil
      }
    if first.end < second.start || second.end < first.start {
      let isFirst = first.end < second.start
      if isOfOne { try Violation.unless(seen ?? isFirst == isFirst, "one after the other, but \(one), \(other)") }
      return (isFirst, false)
    }
    return (seen ?? (first.start < second.start), true)
  }
}

/// Numbers that two threads draw. Relaxed, so that they order nothing: a race that they hid would not be found.
private final class Tickets: Sendable {
  private let last = Atomic<Int>(0)
  func draw() -> Int { last.add(1, ordering: .relaxed).newValue }
}

/// One side's part in a round: written by its thread, read when that has ended.
private final class Stint: Sendable {
  private let storage = Locked((start: 0, end: 0, witness: Witness.nothing))
  var start: Int { storage.withLock(\.start) }
  var end: Int { storage.withLock(\.end) }
  var witness: Witness { storage.withLock(\.witness) }

  func run(_ tickets: Tickets, _ operation: () -> Witness) {
    let start = tickets.draw()
    let witness = operation()
    let end = tickets.draw()
    storage.withLock { $0 = (start, end, witness) }
  }
}
