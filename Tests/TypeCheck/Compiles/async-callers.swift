// Async links from actors.
import PromiseContexts

nonisolated func next(_ value: Int) async throws -> Int { value + 1 }

@MainActor final class Screen {
  var total = 0
  func follow(_ promise: Promise<Int>) -> Promise<Int> {
    promise
      .asyncMap { try await next($0) }
      .asyncTap { value in await self.show(value) }
      .asyncMap { @MainActor value in
        self.total += value
        return self.total
      }
  }
  func show(_ value: Int) { total = value }
}

actor Account {
  var balance = 0
  func follow(_ promise: Promise<Int>) -> Promise<Int> {
    promise.asyncTap { await self.add($0) }.asyncMap { _ in await self.balance }
  }
  func add(_ amount: Int) { balance += amount }
}
