import Dispatch
import PromiseContexts

// W10: a Task waits for what another thread brings it. One after the other, as a continuation and as a promise.

extension Workload {
  static let w10 = Workload(
    id: "W10", title: "await promise.value, fulfilled from another thread", baseline: "withCheckedContinuation",
    goal: 1.05, pinning: .oneCore, unit: "await", count: 10_000, quickCount: 1_000,
    subjects: [
      Subject(.concurrency) {
        try Awaits.measure($0, of: "W10 continuation") { queue in
          await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: 1) }
          }
        }
      },
      Subject(.promise) {
        try Awaits.measure($0, of: "W10 promise") { queue in
          let deferred = Deferred<Int>()
          queue.async { deferred.fulfill(1) }
          return try await deferred.promise.value
        }
      },
    ])
}

enum Awaits {
  /// Nanoseconds per await, in a Task; the main thread blocks until it has ended.
  static func measure(
    _ count: Int, of what: String, await one: @escaping @Sendable (DispatchQueue) async throws -> Int
  ) throws -> Double {
    let queue = DispatchQueue(label: "bench.serial", qos: .userInitiated)
    let result = Published()
    let done = DispatchSemaphore(value: 0)
    Task.detached(priority: .userInitiated) {
      var sum = 0
      let clock = ContinuousClock()
      let start = clock.now
      for _ in 0..<count { sum += (try? await one(queue)) ?? 0 }
      result.set((clock.now - start) / .nanoseconds(count), sum: sum)
      done.signal()
    }
    done.wait()
    guard result.sum == count else {
      throw BenchError.wrongResult("\(what): \(result.sum) of \(count) values have come")
    }
    return result.nanoseconds
  }

  /// Written by the Task, read after the semaphore.
  private final class Published: @unchecked Sendable {
    private(set) var nanoseconds = 0.0
    private(set) var sum = 0

    func set(_ nanoseconds: Double, sum: Int) {
      self.nanoseconds = nanoseconds
      self.sum = sum
    }
  }
}
