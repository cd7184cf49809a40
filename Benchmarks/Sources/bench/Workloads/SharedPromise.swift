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
