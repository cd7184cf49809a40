import PromiseCombinators
import PromiseTesting
import TestSupport
import Testing

// Contains the snippets of Docs/Performance.md, word for word. `Scripts/check-snippets.py` compares them.

private struct Order: Sendable {
  let prices: [Int]
}

private struct User: Sendable {
  let name: String
}

/// A list of entries.
private final class Ledger<Entry: Sendable>: Sendable {
  private let list = Locked<[Entry]>([])

  var entries: [Entry] { list.withLock { $0 } }

  func append(_ entry: Entry) { list.withLock { $0.append(entry) } }
}

private func subtotal(_ order: Order) -> Int { order.prices.reduce(0, +) }

private func withTax(_ amount: Int) -> Int { amount + amount / 4 }

private func fetch(_ name: String) -> Promise<String> { .fulfilled("The page \(name)") }

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

  @Test("map gives the same value as then with a fulfilled promise")
  func mapForThen() throws {
    let world = TestWorld()
    let (name, adopted) = world.run {
      let user = Promise.fulfilled(User(name: "Ada"))
      let name = user.map { $0.name }  // instead of user.then { .fulfilled($0.name) }
      return (name, user.then { .fulfilled($0.name) })
    }
    #expect(try world.run(until: name) == "Ada")
    #expect(try world.run(until: adopted) == "Ada")
  }

  @Test("An observer at the end of a chain receives the value")
  func observer() throws {
    let ledger = Ledger<Int>()
    try TestWorld.run { world in
      let queue = world.serial("ledger")
      let bill = order.map { withTax(subtotal($0)) }
      bill.onFulfilled(on: queue) { ledger.append($0) }  // instead of .tap or .map, if nothing follows
      owner.fulfill(Order(prices: [4]))
      world.runUntilIdle()
    }
    #expect(ledger.entries == [5])
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

  @Test("all takes any number of promises at once")
  func all() throws {
    let world = TestWorld()
    let pages = world.run {
      let names = ["a", "b"]
      let pages = Promise.all(names.map { fetch($0) })
      return pages
    }
    #expect(try world.run(until: pages) == ["The page a", "The page b"])
  }
}
