import Dispatch
import PromiseContexts

// W10 measures a Task that awaits values of another thread, one after the other, through a continuation or a promise.

extension Workload {
  static let w10 = Workload(
    id: "W10", title: "await promise.value, fulfilled from another thread", baseline: "withCheckedContinuation",
    goal: 1.03, pinning: .oneCore, unit: "await", count: 10_000, quickCount: 1_000,
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
  /// Awaits one after the other in a Task, and returns the times. The main thread blocks until the Task has ended.
  static func measure(
    _ count: Int, of what: String, await one: @escaping @Sendable (DispatchQueue) async throws -> Int
  ) throws -> Timing {
    let queue = DispatchQueue(label: "bench.serial", qos: .userInitiated)
    let result = Published()
    let done = DispatchSemaphore(value: 0)
    Task.detached(priority: .userInitiated) {
      var sum = 0
      var laps = Laps(capacity: count)
      for _ in 0..<count {
        sum += (try? await one(queue)) ?? 0
        laps.lap()
      }
      result.set(laps.timing, sum: sum)
      done.signal()
    }
    done.wait()
    guard result.sum == count else {
      throw BenchError.wrongResult("\(what): \(result.sum) of \(count) values have come")
    }
    return result.timing
  }

  /// The result of the Task. The main thread reads it after the semaphore.
  private final class Published: @unchecked Sendable {
    private(set) var timing = Timing(nanosecondsPerUnit: 0)
    private(set) var sum = 0

    func set(_ timing: Timing, sum: Int) {
      self.timing = timing
      self.sum = sum
    }
  }
}
