// Chains with async closures, of one statement and of several.
import PromiseContexts

@MainActor final class Screen { var total = 0 }
actor Account {
  var balance = 0
  func add(_ amount: Int) { balance += amount }
}
nonisolated func next(_ value: Int) async throws -> Int { value + 1 }

func chain(_ start: Promise<Int>, _ screen: Screen, _ account: Account) -> Promise<Int> {
  start
    // repeat 5 20 40
    .asyncMap { try await next($0) }
    .asyncTap { await account.add($0) }
    .asyncMap { value in
      let balance = await account.balance
      return balance + value
    }
    .asyncRecover { _ in try await next(0) }
    .asyncMap { @MainActor in screen.total + $0 }
    .map { $0 + 1 }
    .asyncMap(priority: .low, to: Int.self) { value in
      let sum = try await next(value)
      print(sum)
      return sum
    }
  // end
}
