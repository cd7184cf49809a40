import Foundation
import Synchronization
import TestSupport
import Testing

/// Two or more things at the same time, many times over.
struct Duel {
  let bodies: [@Sendable () -> Void]
  /// Checks the invariants when all have ended, and tells whether the first came first: `nil` if there is no telling.
  let firstCameFirst: () throws -> Bool?

  init(_ bodies: [@Sendable () -> Void], firstCameFirst: @escaping () throws -> Bool?) {
    self.bodies = bodies
    self.firstCameFirst = firstCameFirst
  }

  init(
    first: @escaping @Sendable () -> Void, second: @escaping @Sendable () -> Void,
    firstCameFirst: @escaping () throws -> Bool?
  ) {
    self.init([first, second], firstCameFirst: firstCameFirst)
  }

  static let manyRounds = Effort.rounds

  /// How many rounds start together: to start threads takes far longer than a round.
  private static let roundsInARow = 100

  /// Fights round after round, each with fresh objects, and expects that each side came first at least once. Stops at the
  /// first round that breaks an invariant. Returns how many rounds there were.
  ///
  /// Which side comes first is the system's choice, and a loaded machine may favour one. So there are more rounds where one side has yet
  /// to win, with a lead for each in turn, which grows: only if no lead helps does that count as a failure.
  @discardableResult
  static func repeated(
    _ rounds: Int = manyRounds, sourceLocation: SourceLocation = #_sourceLocation, _ make: (Int) -> Duel
  ) throws -> Int {
    var wins = (first: 0, second: 0)
    var fought = 0
    while fought < rounds || (wins.first == 0 || wins.second == 0) && fought < 20 * max(rounds, roundsInARow) {
      let isExtra = fought >= rounds
      let numbers = fought..<(isExtra ? fought + roundsInARow : min(fought + roundsInARow, rounds))
      let lead = isExtra ? lead(inExtra: (fought - rounds) / roundsInARow) : 0
      try fight(numbers, lead: lead, make, &wins)
      fought = numbers.upperBound
    }
    #expect(wins.first > 0 && wins.second > 0, "wins: \(wins) in \(fought) rounds", sourceLocation: sourceLocation)
    RaceReport.add(Test.current.map { $0.displayName ?? $0.name } ?? "", first: wins.first, second: wins.second)
    return fought
  }

  /// So many times a side gives way, where one has yet to win.
  static func lead(inExtra time: Int) -> Int { 500 << min(time, 11) }

  private static func fight(
    _ numbers: Range<Int>, lead: Int, _ make: (Int) -> Duel, _ wins: inout (first: Int, second: Int)
  ) throws {
    let duels = numbers.map(make)
    fight(duels, rounds: Array(numbers), lead: lead)
    for duel in duels {
      switch try duel.firstCameFirst() {
      case true?: wins.first += 1
      case false?: wins.second += 1
      case nil: break
      }
    }
  }

  /// One after the other, all with the same threads, which are as many as the bodies of each.
  static func fight(_ duels: [Duel], rounds: [Int], lead: Int) {
    let meeting = Meeting(of: duels[0].bodies.count, rounds: duels.count)
    race(
      duels[0].bodies.indices.map { side in
        let bodies = duels.map { $0.bodies[side] }
        return {
          for (number, (round, body)) in zip(rounds, bodies).enumerated() {
            meeting.meet(number)
            // In turn all start at once, or one of them a little later: the meeting alone would favour one side.
            if round % (meeting.size + 1) == side { spin(round &* 37 % 1_500) }
            if lead > 0 { giveWay(lead * place(of: side, among: meeting.size, in: round)) }
            body()
          }
        }
      })
  }

  /// How many are to come before the side: each order of two or three has its turn.
  private static func place(of side: Int, among count: Int, in round: Int) -> Int {
    (side * (round.isMultiple(of: 2) ? 1 : count - 1) + round / 2) % count
  }
}

/// Where threads wait for each other, round after round.
///
/// One counter for each round. With one for all, who comes late to a round would find in it that another is through and waits for the
/// next, and so be ordered after all that this one did: what races there ThreadSanitizer would not see.
final class Meeting: Sendable {
  let size: Int
  private let rounds: [Arrivals]
  private final class Arrivals: Sendable { let count = Atomic<Int>(0) }

  init(of size: Int, rounds: Int) {
    self.size = size
    self.rounds = (0..<rounds).map { _ in Arrivals() }
  }

  func meet(_ round: Int) {
    let arrived = rounds[round]
    arrived.count.add(1, ordering: .acquiringAndReleasing)
    var patience = 2_000
    while arrived.count.load(ordering: .acquiring) < size {
      patience -= 1
      if patience < 0 { sched_yield() }
    }
  }
}

private let nothing = Atomic<Int>(0)

/// Passes a little time. Not by a clock: only to widen a race.
func spin(_ count: Int) {
  for _ in 0..<count { _ = nothing.load(ordering: .relaxed) }
}

/// Passes some time, and leaves the processor to others: they may have but this one.
private func giveWay(_ count: Int) {
  for _ in 0..<count / 100 {
    spin(100)
    sched_yield()
  }
}

/// A variable of one thread at a time, which other threads read only after a race has ended.
final class Answer<Value: Sendable>: Sendable {
  private let storage = Locked<Value?>(nil)
  var value: Value? { storage.withLock { $0 } }
  func callAsFunction(_ value: Value) { storage.withLock { $0 = value } }
}

/// A reference that one thread lets go.
final class Held<Object: AnyObject & Sendable>: Sendable {
  private let storage: Locked<Object?>
  init(_ object: Object) { storage = Locked(object) }
  /// Another reference, to the same object.
  init(sharing other: Held) { storage = Locked(other.object) }
  var object: Object? { storage.withLock { $0 } }

  /// The reference, which is not held any more: released outside the lock, as what goes may run code.
  func take() -> Object? {
    storage.withLock { object in
      defer { object = nil }
      return object
    }
  }

  func drop() { _ = take() }
}

final class Weakly<Object: AnyObject & Sendable>: Sendable {
  private weak let storage: Object?
  init(_ object: Object) { storage = object }
  var object: Object? { storage }
}
