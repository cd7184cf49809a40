import Dispatch
import PromiseContexts

// W5 measures one settlement for which many handlers on one queue wait. The handlers may be scheduled together, in one
// block.

extension Workload {
  static let w5 = Workload(
    id: "W5", title: "settle one promise with 10,000 handlers on a serial queue, wait for the last",
    baseline: "as many queue.async on the same kind of queue",
    pinning: .allCores, unit: "handler", count: 10_000, quickCount: 10_000,
    processes: processesOfBursts,
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
      // The same number of tasks of an actor wait for the value of one task.
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

  /// Returns nanoseconds per handler, from the start until the last handler has run. The preparation is not timed.
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

/// An actor in place of the serial queue. Its methods may change the tally, because they run one at a time.
private actor Waiters {
  private let count: Int
  private var waiting = 0
  private var finished = 0

  init(_ count: Int) { self.count = count }

  func wait(for value: Task<Int, Never>, waiting areWaiting: DispatchSemaphore, done: DispatchSemaphore) {
    for _ in 0..<count {
      Task {
        waiting += 1
        // The actor runs this job when the last task waits, too.
        if waiting == count { Task { signal(areWaiting) } }
        _ = counted(await value.value)
        finished += 1
        if finished == count { signal(done) }
      }
    }
  }

  private func signal(_ semaphore: DispatchSemaphore) { semaphore.signal() }
}
