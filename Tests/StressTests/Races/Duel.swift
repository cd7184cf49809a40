import Foundation
import Synchronization
import TestSupport
import Testing

/// A race of two or more closures, which is repeated many times.
struct Duel {
  let bodies: [@Sendable () -> Void]
  /// Checks the invariants after all closures have ended. Returns whether the first closure came first, or `nil` if
  /// that is unknown.
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

  /// Creates a race of two closures whose results the check receives.
  init<First: Sendable, Second: Sendable>(
    first: @escaping @Sendable () -> First, second: @escaping @Sendable () -> Second,
    results check: @escaping (First, Second) throws -> Bool?
  ) {
    let one = Answer<First>()
    let other = Answer<Second>()
    self.init([{ one(first()) }, { other(second()) }]) { try check(#require(one.value), #require(other.value)) }
  }

  /// Creates a race of two calls whose results the check receives. Each call is made on the thread of its side.
  init<First: Sendable, Second: Sendable>(
    _ first: @autoclosure @escaping @Sendable () -> First,
    against second: @autoclosure @escaping @Sendable () -> Second,
    results check: @escaping (First, Second) throws -> Bool?
  ) {
    self.init(first: first, second: second, results: check)
  }

  static let manyRounds = Effort.rounds

  /// The number of rounds that share threads, because starting threads takes far longer than a round.
  private static let roundsInARow = 100

  /// Runs round after round, each with fresh objects, and expects that each side comes first at least once. Stops at
  /// the first round that breaks an invariant. Returns the number of rounds.
  ///
  /// The system decides which side comes first, and a loaded machine may favour one side. If a side has never come
  /// first, extra rounds give each side in turn a growing lead. The test fails only if no lead helps.
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
    return fought
  }

  /// Runs rounds as `repeated` does, and expects that they leave no object of the census behind.
  static func leavingNothing(
    _ rounds: Int = manyRounds, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (Int, Tracked.Census) -> Duel
  ) throws {
    let census = Tracked.Census()
    try repeated(rounds, sourceLocation: sourceLocation) { make($0, census) }
    #expect(census.living == 0, sourceLocation: sourceLocation)
  }

  /// Returns the length of the lead in a series of extra rounds, in turns of a spin loop.
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

  /// Runs duels one after another on the same threads, with a thread for each closure of a duel.
  ///
  /// - Parameter delay: The bound for the delay of a side, in turns of a spin loop.
  static func fight(_ duels: [Duel], rounds: [Int], lead: Int = 0, delay: Int = 1_500) {
    let barrier = Barrier(of: duels[0].bodies.count, rounds: duels.count)
    race(
      duels[0].bodies.indices.map { side in
        let bodies = duels.map { $0.bodies[side] }
        return {
          for (number, (round, body)) in zip(rounds, bodies).enumerated() {
            barrier.meet(number)
            // In turn, all sides start at once, or one side starts a little later, because the barrier alone would
            // favour a side.
            if round % (barrier.size + 1) == side { spin(round &* 37 % delay) }
            if lead > 0 { giveWay(lead * place(of: side, among: barrier.size, in: round)) }
            body()
          }
        }
      })
  }

  /// Returns the number of sides that come before this side. Each order of two or three sides has its turn.
  private static func place(of side: Int, among count: Int, in round: Int) -> Int {
    (side * (round.isMultiple(of: 2) ? 1 : count - 1) + round / 2) % count
  }
}

/// A point at which threads wait for each other, round after round.
///
/// Each round has its own counter. With a shared counter, a thread that is late for a round could read the arrival of
/// another thread in the next round. The late thread would then be ordered after everything that the other thread did
/// in the earlier round, and ThreadSanitizer would miss races.
final class Barrier: Sendable {
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

/// Passes a little time without a clock, to widen a race.
func spin(_ count: Int) {
  for _ in 0..<count { _ = nothing.load(ordering: .relaxed) }
}

/// Passes some time and yields the processor to other threads, which may have no other processor.
private func giveWay(_ count: Int) {
  for _ in 0..<count / 100 {
    spin(100)
    sched_yield()
  }
}

/// A result of one side of a race, which other threads can read.
final class Answer<Value: Sendable>: Sendable {
  private let storage = Locked<Value?>(nil)
  var value: Value? { storage.withLock { $0 } }
  func callAsFunction(_ value: Value) { storage.withLock { $0 = value } }
}

/// A reference that a thread releases during a race.
final class Held<Object: AnyObject & Sendable>: Sendable {
  private let storage: Locked<Object?>
  init(_ object: Object) { storage = Locked(object) }
  /// Creates another reference to the same object.
  init(sharing other: Held) { storage = Locked(other.object) }
  var object: Object? { storage.withLock { $0 } }

  /// Removes and returns the reference. The caller releases it outside the lock, because a `deinit` may run code.
  func take() -> Object? { storage.withLock { $0.take() } }

  func drop() { _ = take() }
}

final class Weakly<Object: AnyObject & Sendable>: Sendable {
  private weak let storage: Object?
  init(_ object: Object) { storage = object }
  var object: Object? { storage }
}
