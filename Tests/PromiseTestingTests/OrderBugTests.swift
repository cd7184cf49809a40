import TestSupport
import Testing

// Two deposits read the balance before either has written it, so one of them is lost.

/// An account whose balance is read in one handler and written in another.
private final class Account: Sendable {
  private let stored = Locked(0)
  private let writer: (any ExecutionContext)?

  /// - Parameter writer: a serial context for whole deposits, or `nil` for the version with the bug.
  init(writer: (any ExecutionContext)? = nil) { self.writer = writer }

  var balance: Int { stored.withLock(\.self) }

  func deposit(_ amount: Int) -> Promise<Void> {
    if let writer { return Promise.run(on: writer) { [stored] in stored.withLock { $0 += amount } } }
    return Promise.run { [stored] in stored.withLock(\.self) }
      .map { $0 + amount }
      .map { [stored] balance in stored.withLock { $0 = balance } }
  }
}

@Suite("A known order bug") struct OrderBugTests {
  private func pay(into account: Account, in world: TestWorld) {
    // The salary takes several steps.
    _ = Promise.run { 90 }.map { $0 + 9 }.map { $0 + 1 }.then { account.deposit($0) }
    _ = account.deposit(11)
    world.runUntilIdle()
    world.expect(account.balance == 111, "both deposits are there, not \(account.balance)")
  }

  private func lostUpdate(_ world: TestWorld) { pay(into: Account(), in: world) }

  @Test(
    "The natural order hides the bug, and the explorer finds it from any seed within 100 schedules",
    arguments: [0, 1, 42, .max] as [UInt64])
  func found(seed: UInt64) throws {
    try TestWorld.run { lostUpdate($0) }
    #expect(throws: ScheduleFailure.self) { try TestWorld.explore(schedules: 100, seed: seed, lostUpdate) }
  }

  @Test("The repaired program succeeds in every order")
  func repaired() throws {
    let exploration = try TestWorld.exploreAll { pay(into: Account(writer: $0.serial("account")), in: $0) }
    #expect(exploration.isComplete)
  }
}
