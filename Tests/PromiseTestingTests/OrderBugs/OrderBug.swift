import PromiseTesting
import TestSupport
import Testing

/// A program with a bug that only some orders show, and the repaired program.
struct OrderBug: Sendable, CustomTestStringConvertible {
  let name: String
  /// The number of schedules within which the explorer has to find the bug, whatever the seed.
  let limit: Int
  let wrong: @Sendable (TestWorld) throws -> Void
  let right: @Sendable (TestWorld) throws -> Void

  var testDescription: String { name }

  static let all = [lostUpdate, lateCancel, doubleStart]
}

@Suite("Known order bugs")
struct OrderBugTests {
  @Test("The natural order of events hides the bug", arguments: OrderBug.all)
  func natural(_ bug: OrderBug) throws {
    try TestWorld.run { try bug.wrong($0) }
  }

  @Test("The explorer finds the bug from any seed within the stated number of schedules", arguments: OrderBug.all)
  func found(_ bug: OrderBug) {
    for seed: UInt64 in [0, 1, 42, 1_000_000, .max] {
      #expect(throws: ScheduleFailure.self) {
        try TestWorld.explore(schedules: bug.limit, seed: seed) { try bug.wrong($0) }
      }
    }
  }

  @Test("The seed and the choices of a failure reproduce it step by step", arguments: OrderBug.all)
  func replayed(_ bug: OrderBug) throws {
    let failure = try #require(throws: ScheduleFailure.self) {
      try TestWorld.explore(schedules: bug.limit, seed: 1) { try bug.wrong($0) }
    }
    guard case .seedAndChoices(let seed, let choices) = failure.replay else {
      return #expect(Bool(false), "\(failure.replay)")
    }
    let again = try #require(throws: ScheduleFailure.self) {
      try TestWorld.replay(seed: seed, choices: choices) { try bug.wrong($0) }
    }
    #expect(again.steps.map(\.description) == failure.steps.map(\.description))
    #expect("\(again.error)" == "\(failure.error)")
    print("\(bug.name): \(failure)\n")
  }

  @Test("exploreAll finds the bug of a small program, and the choices reproduce the failure", arguments: OrderBug.all)
  func exhaustive(_ bug: OrderBug) throws {
    let failure = try #require(throws: ScheduleFailure.self) { try TestWorld.exploreAll { try bug.wrong($0) } }
    guard case .choices(let choices) = failure.replay else { return #expect(Bool(false), "\(failure.replay)") }
    let again = try #require(throws: ScheduleFailure.self) {
      try TestWorld.replay(choices: choices) { try bug.wrong($0) }
    }
    #expect(again.replay == failure.replay)
    #expect(again.steps.map(\.description) == failure.steps.map(\.description))
  }

  @Test("The repaired program succeeds in every order", arguments: OrderBug.all)
  func mended(_ bug: OrderBug) throws {
    let exploration = try TestWorld.exploreAll { try bug.right($0) }
    #expect(exploration.isComplete)
    print("\(bug.name), mended: \(exploration.schedules) schedules\n")
  }
}
