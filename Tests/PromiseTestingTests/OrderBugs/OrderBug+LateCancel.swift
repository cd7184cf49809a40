import PromiseContexts
import PromiseTesting
import TestSupport

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
