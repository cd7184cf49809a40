// Async links from actors, and code of any isolation that awaits a value.
import PromiseContexts

nonisolated func next(_ value: Int) async throws -> Int { value + 1 }
nonisolated func plain(_ promise: Promise<Int>) async throws -> Int { try await promise.value }

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
  func add(_ promise: Promise<Int>) async throws {
    total += try await promise.value
    Task { self.total = try await promise.value }
  }
}

actor Account {
  var balance = 0
  func follow(_ promise: Promise<Int>) -> Promise<Int> {
    promise.asyncTap { await self.add($0) }.asyncMap { _ in await self.balance }
  }
  func add(_ amount: Int) { balance += amount }
  func addValue(of promise: Promise<Int>) async throws { balance += try await promise.value }
}

nonisolated func inTasks(_ promise: Promise<String>) async throws -> [Int] {
  async let first = promise.value.count
  let second = Task.detached { try await promise.value.count }
  let third = try await withThrowingTaskGroup(of: Int.self) { group in
    group.addTask { try await promise.value.count }
    return try await group.next()
  }
  return [try await first, try await second.value, third ?? 0]
}
