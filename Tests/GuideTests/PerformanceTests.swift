import PromiseCombinators
import TestSupport
import Testing

// Contains the snippets of Docs/Performance.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Order: Sendable {
  let prices: [Int]
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

@Suite("The guide to performance") struct PerformanceTests {
  private let owner = Deferred<Order>()
  private var order: Promise<Order> { owner.promise }

  @Test("The measured program does its work once for each order")
  func measured() async throws {
    #expect(try await checkout(10) == 90)
  }

  @Test("A chain that changes its context once delivers its value on both contexts")
  func onePlace() throws {
    try TestWorld.run(checking: .running) { world in
      let (ledger, queue) = (Log<Int>(), world.serial("ledger"))
      let bill = order.map { withTax(subtotal($0)) }  // instead of .map { subtotal($0) }.map { withTax($0) }
      let sent = order.map { withTax(subtotal($0)) }  // on the pool
        .map { total in "Total: \(total)" }  // on the pool, mostly on the same thread
        .tap(on: queue) { ledger.append($0.count) }  // the only change
      owner.fulfill(Order(prices: [4, 8]))
      #expect(world.settling(bill).state.value == 15)
      #expect(world.settling(sent).state.value == "Total: 15")
      #expect(ledger.entries == [9])
    }
  }
}
