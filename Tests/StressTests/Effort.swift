import Foundation
import TestSupport
import Testing

/// The number of repetitions in tests that depend on luck, and the depth of structures where the depth is arbitrary.
///
/// By default, the tests find defects that occur easily, in minutes. With `PROMISE_STRESS=full`
/// (`make proof ONLY=stress`), they take a multiple of that.
enum Effort {
  static let isFull = unsafe getenv("PROMISE_STRESS").map { unsafe String(cString: $0) } == "full"

  #if DEBUG
    /// The number of rounds of a race.
    static let rounds = isFull ? 4_000 : 1_000
    /// The number of rounds of each pair of operations. There are thousands of pairs.
    static let roundsOfPair = isFull ? 200 : 4
    /// The number of links in a deep chain. At this depth, 300 bytes of stack for each link overflow any thread, and
    /// nine bytes overflow `DeepThread.smallStack`.
    static let depth = isFull ? 100_000 : 30_000
    /// The number of short-lived objects in a measurement of memory.
    static let many = isFull ? 250_000 : 100_000
    /// The number of steps of a loop that could run endlessly.
    static let steps = isFull ? 100_000 : 20_000
    /// The bound in bytes for the growth of memory while such a loop runs.
    static let flat = 4 << 20
  #else
    static let rounds = isFull ? 20_000 : 1_000
    static let roundsOfPair = isFull ? 1_000 : 4
    static let depth = 1_000_000
    static let many = 1_000_000
    static let steps = isFull ? 10_000_000 : 1_000_000
    static let flat = 16 << 20
  #endif

  /// Returns a bound in bytes for the memory that a number of rounds leave behind. They leave nothing, and the smallest
  /// object has 32 bytes, so a leak of one object in each round is twice as large as the bound.
  static func bound(ofRounds count: Int) -> Int { 16 * count }

  /// Returns the figure for the present effort.
  static func of<Figure>(_ quick: Figure, full: Figure) -> Figure { isFull ? full : quick }
}

/// The number of links in a deep chain.
let deep = Effort.depth

/// Expects that the memory in use grows by less than the bound while the body runs (see `leastGrowth`).
func expectGrowth(
  below bound: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) rethrows {
  let growth = try leastGrowth(below: bound, body)
  #expect(growth < bound, sourceLocation: sourceLocation)
}
