import Foundation

/// How often the tests of this target repeat what depends on luck, and how deep they go where the depth is arbitrary.
///
/// As a rule as much as finds a defect that is easily met, in minutes. `PROMISE_STRESS=full` (see `make stress`) takes a multiple of
/// that.
enum Effort {
  static let isFull = unsafe getenv("PROMISE_STRESS").map { unsafe String(cString: $0) } == "full"

  #if DEBUG
    /// Rounds of a race.
    static let rounds = isFull ? 4_000 : 1_000
    /// Rounds of each pair of operations, of which there are thousands.
    static let roundsOfPair = isFull ? 200 : 4
    /// How many links are deep. 300 bytes of stack for each would be too much for any thread, nine for `Place.smallStack`.
    static let depth = isFull ? 100_000 : 30_000
    /// How many short-lived objects are many.
    static let many = isFull ? 250_000 : 100_000
    /// What they may leave: less than 64 bytes each, in release builds 16.
    static let boundOfMany = many * 64
    /// Steps of a loop that may go on for ever.
    static let steps = isFull ? 100_000 : 20_000
    /// By how much memory may grow while such a loop runs.
    static let flat = 4 << 20
  #else
    static let rounds = isFull ? 20_000 : 1_000
    static let roundsOfPair = isFull ? 1_000 : 4
    static let depth = 1_000_000
    static let many = 1_000_000
    static let boundOfMany = many * 16
    static let steps = isFull ? 10_000_000 : 1_000_000
    static let flat = 16 << 20
  #endif

  /// Of two figures the present one.
  static func of<Figure>(_ quick: Figure, full: Figure) -> Figure { isFull ? full : quick }
}

/// How many links are deep.
let deep = Effort.depth
