// Code of any isolation awaits a value.
import PromiseContexts

nonisolated func plain(_ promise: Promise<Int>) async throws -> Int { try await promise.value }

@MainActor final class Screen {
  var total = 0
  func show(_ promise: Promise<Int>) async throws {
    total += try await promise.value
    Task { self.total = try await promise.value }
  }
}

actor Account {
  var balance = 0
  func add(_ promise: Promise<Int>) async throws { balance += try await promise.value }
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
