import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets of Docs/Performance.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Order: Sendable {
  let prices: [Int]
}

/// A list of entries.
private final class Ledger<Entry: Sendable>: Sendable {
  private let list = Locked<[Entry]>([])

  var entries: [Entry] { list.withLock { $0 } }

  func append(_ entry: Entry) { list.withLock { $0.append(entry) } }
}

private func subtotal(_ order: Order) -> Int { order.prices.reduce(0, +) }

private func withTax(_ amount: Int) -> Int { amount + amount / 4 }

func checkout(_ orders: Int) async throws -> Int {
  var sum = 0
  for number in 0..<orders {
    let order = Deferred<Int>()
    let total = order.promise.map { $0 * 2 }
    order.fulfill(number)
    sum += try await total.value
  }
  return sum
}

@Suite("The guide to performance")
struct PerformanceTests {
  private let owner = Deferred<Order>()
  private var order: Promise<Order> { owner.promise }

  @Test("The measured program does its work once for each order")
  func measured() async throws {
    #expect(try await checkout(10) == 90)
  }

  @Test("One link gives the same value as two links")
  func oneLink() throws {
    let world = TestWorld()
    let (bill, twoLinks) = world.run {
      let bill = order.map { withTax(subtotal($0)) }  // instead of .map { subtotal($0) }.map { withTax($0) }
      return (bill, order.map { subtotal($0) }.map { withTax($0) })
    }
    owner.fulfill(Order(prices: [4, 8]))
    #expect(try world.run(until: bill) == 15)
    #expect(try world.run(until: twoLinks) == 15)
  }

  @Test("A chain that changes its context once delivers its value on both contexts")
  func onePlace() throws {
    let world = TestWorld()
    let ledger = Ledger<Int>()
    let queue = world.serial("ledger")
    let sent = world.run {
      let sent = order.map { withTax(subtotal($0)) }  // on the pool
        .map { total in "Total: \(total)" }  // on the pool, mostly on the same thread
        .tap(on: queue) { ledger.append($0.count) }  // the only change
      return sent
    }
    owner.fulfill(Order(prices: [4, 8]))
    #expect(try world.run(until: sent) == "Total: 15")
    #expect(ledger.entries == [9])
  }
}
