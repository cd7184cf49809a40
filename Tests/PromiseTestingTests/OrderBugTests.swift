import PromiseContexts
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

  static let all = [lostUpdate, lateCancel]
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

  @Test("The repaired program succeeds in every order", arguments: OrderBug.all)
  func mended(_ bug: OrderBug) throws {
    let exploration = try TestWorld.exploreAll { try bug.right($0) }
    #expect(exploration.isComplete)
    print("\(bug.name), mended: \(exploration.schedules) schedules\n")
  }
}

// MARK: Lost update

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

// MARK: Late cancel

// A customer cancels a booking while its payment is under way. The payment has another consumer, so the cancellation
// does not reach it. The customer pays for a cancelled ticket.

private final class Office: Sendable {
  let paid = Log<String>()

  func reserve() -> Promise<String> { Promise.run { "seat 7" } }

  func pay(for seat: String) -> Promise<String> { Promise.run { seat }.map { "receipt for \($0)" } }

  /// Books a ticket. The bug is that the observer that logs the receipt is a second consumer of the payment (rule 4.0).
  func book() -> Promise<String> {
    reserve().then { [self] seat in
      let payment = pay(for: seat)
      payment.onFulfilled { [paid] receipt in paid.append(receipt) }
      return payment.map { "ticket, \($0)" }
    }
  }

  /// Logs the receipt in the handler that makes the ticket, so cancelling the ticket cancels the payment.
  func bookSafely() -> Promise<String> {
    reserve().then { [self] seat in
      pay(for: seat).map { [paid] receipt in
        paid.append(receipt)
        return "ticket, \(receipt)"
      }
    }
  }
}

extension OrderBug {
  static let lateCancel = OrderBug(name: "cancel between adoption and settlement", limit: 100) { world in
    let office = Office()
    cancel(office.book(), paidAt: office, in: world)
  } right: { world in
    let office = Office()
    cancel(office.bookSafely(), paidAt: office, in: world)
  }

  private static func cancel(_ ticket: Promise<String>, paidAt office: Office, in world: TestWorld) {
    world.sometime("the customer cancels") { ticket.cancel() }
    world.runUntilIdle()
    world.expect(!ticket.isCancelled || office.paid.entries.isEmpty, "who has cancelled has not paid")
  }
}
