import Dispatch
import PromiseCombinators
import PromiseContexts
import Synchronization

// W8 measures many tasks and a closure that runs when all are done. Both sides time the start of the tasks and the wait
// for that closure.

extension Workload {
  static let w8 = Workload(
    id: "W8", title: "Promise.all of 10,000 tasks on a concurrent queue",
    baseline: "10,000 queue.async(group:) and notify",
    goal: 1.50, pinning: .allCores, unit: "task", count: 10_000, quickCount: 2_000,
    processes: processesOfBursts,
    subjects: [
      .group,
      Subject(.promise) { count in
        try Bursts.onConcurrentQueue { try Gatherings.all(count, on: .concurrent($0)) }
      },
      Subject(.concurrency) { count in
        try Gatherings.waiting(count) { done in
          Task {
            let sum = await withTaskGroup(of: Int.self) { group in
              for number in 0..<count { group.addTask { number } }
              return await group.reduce(0, +)
            }
            done(sum)
          }
        }
      },
    ])

  static let w8p = Workload(
    id: "W8p", title: "W8 on .pool",
    baseline: "10,000 queue.async(group:) and notify",
    goal: 0.60, pinning: .allCores, unit: "task", count: 10_000, quickCount: 2_000,
    processes: processesOfBursts,
    subjects: [.group, Subject(.promise) { count in try Gatherings.all(count, on: .pool) }])
}

enum Gatherings {
  static func all(_ count: Int, on context: any ExecutionContext) throws -> Double {
    try waiting(count) { done in
      Promise.all((0..<count).map { number in .run(on: context) { number } })
        .onFulfilled(on: context) { done($0.reduce(0, +)) }
    }
  }

  /// Starts all tasks, waits for the sum of their numbers, and returns nanoseconds per task.
  static func waiting(_ count: Int, start: (@escaping @Sendable (Int) -> Void) -> Void) throws -> Double {
    let isDone = DispatchSemaphore(value: 0)
    let sum = Atomic<Int>(0)
    let time = Stopwatch.nanoseconds(per: count) {
      start { total in
        sum.store(total, ordering: .relaxed)
        isDone.signal()
      }
      isDone.wait()
    }
    // Relaxed, because the semaphore orders the access.
    let found = sum.load(ordering: .relaxed)
    guard found == count * (count - 1) / 2 else { throw BenchError.wrongResult("W8: the sum is \(found)") }
    return time
  }
}

extension Subject {
  fileprivate static let group = Subject(.gcd) { count in
    try Bursts.onConcurrentQueue { queue in
      try Gatherings.waiting(count) { done in
        let group = DispatchGroup()
        let results = Results(count)
        for number in 0..<count {
          queue.async(group: group) { results[number] = number }
        }
        group.notify(queue: queue) { done(results.sum) }
      }
    }
  }
}

/// The results of tasks. Each result has a place of its own, as in a program that uses a group.
@safe final class Results: @unchecked Sendable {
  // `@unchecked` and `@safe`, because each place is written once, and read when the group is empty.
  private let places: UnsafeMutableBufferPointer<Int>

  init(_ count: Int) {
    unsafe places = .allocate(capacity: count)
    unsafe places.initialize(repeating: 0)
  }

  deinit { unsafe places.deallocate() }

  subscript(index: Int) -> Int {
    get { unsafe places[index] }
    set { unsafe places[index] = newValue }
  }

  var sum: Int { unsafe places.reduce(0, +) }
}
