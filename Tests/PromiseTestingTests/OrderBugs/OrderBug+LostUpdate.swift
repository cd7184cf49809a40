import PromiseContexts
import PromiseTesting
import TestSupport

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

/// Looks up the salary, which takes several steps.
private func salary() -> Promise<Int> { Promise.run { 90 }.map { $0 + 9 }.map { $0 + 1 } }

extension OrderBug {
  static let lostUpdate = OrderBug(name: "lost update", limit: 100) { world in
    try pay(into: Account(), in: world)
  } right: { world in
    try pay(into: Account(writer: world.serial("account")), in: world)
  }

  private static func pay(into account: Account, in world: TestWorld) throws {
    _ = salary().then { account.deposit($0) }
    _ = account.deposit(11)
    world.runUntilIdle()
    world.expect(account.balance == 111, "both deposits are there, not \(account.balance)")
  }
}
