import Dispatch
import PromiseContexts

// W5: one settlement that many handlers on one queue wait for. They may travel together, in one block.

extension Workload {
  static let w5 = Workload(
    id: "W5", title: "settle one promise with 10,000 handlers on a serial queue, wait for the last",
    baseline: "as many queue.async on the same kind of queue",
    goal: 0.60, pinning: .allCores, unit: "handler", count: 10_000, quickCount: 10_000,
    subjects: [
      Subject(.gcd) { count in
        try measure(count, of: "W5 queue.async") { queue, done in
          {
            for _ in 1..<count { queue.async { _ = counted(1) } }
            queue.async { finish(1, signalling: done) }
          }
        }
      },
      Subject(.promise) { count in
        try measure(count, of: "W5 promise") { queue, done in
          let deferred = Deferred<Int>()
          for _ in 1..<count { _ = deferred.promise.map(on: queue) { counted($0) } }
          _ = deferred.promise.map(on: queue) { finish($0, signalling: done) }
          return { deferred.fulfill(1) }
        }
      },
      // The value of one task, for which as many tasks of an actor wait.
      Subject(.concurrency) { count in
        try measure(count, of: "W5 tasks") { _, done in
          let (values, source) = AsyncStream<Int>.makeStream()
          let value = Task { await values.first { _ in true } ?? 0 }
          let areWaiting = DispatchSemaphore(value: 0)
          Task { await Waiters(count).wait(for: value, waiting: areWaiting, done: done) }
          areWaiting.wait()
          return { source.yield(1) }
        }
      },
    ])

  /// Nanoseconds per handler, from the start until the last has run; to prepare is not timed.
  private static func measure(
    _ count: Int, of what: String, prepare: (DispatchQueue, DispatchSemaphore) -> () -> Void
  ) throws -> Double {
    let queue = DispatchQueue(label: "bench.serial", qos: .userInitiated)
    let done = DispatchSemaphore(value: 0)
    return try checkingTally(count, of: what) {
      let start = prepare(queue, done)
      defer { queue.sync {} }
      return Stopwatch.nanoseconds(per: count) {
        start()
        done.wait()
      }
    }
  }
}

/// Stands where the serial queue stands: the tally is safe in it.
private actor Waiters {
  private let count: Int
  private var waiting = 0
  private var finished = 0

  init(_ count: Int) { self.count = count }

  func wait(for value: Task<Int, Never>, waiting areWaiting: DispatchSemaphore, done: DispatchSemaphore) {
    for _ in 0..<count {
      Task {
        waiting += 1
        // A job of its own, which the actor runs when the last task waits too.
        if waiting == count { Task { signal(areWaiting) } }
        _ = counted(await value.value)
        finished += 1
        if finished == count { signal(done) }
      }
    }
  }

  private func signal(_ semaphore: DispatchSemaphore) { semaphore.signal() }
}
