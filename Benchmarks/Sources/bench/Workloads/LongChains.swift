import Dispatch
import PromiseContexts

// W6 and W6s build, settle and release chains of a million links. A chain must not crash, and a link must not be more
// expensive in a longer chain. There is no subject in Swift concurrency, because a million tasks that each await the
// task before take 1.4 GB and seconds per round.

extension Workload {
  static let w6 = Workload(
    id: "W6", title: "1,000,000 links on .pool: build, settle, drop",
    baseline: "nested DispatchQueue.global().async per hop",
    pinning: .allCores, unit: "link", count: 1_000_000, quickCount: 100_000,
    subjects: [
      Subject(.gcd) { try hops($0, on: .global()) },
      Subject(.promise) { try links($0, on: .pool) },
    ])

  static let w6s = Workload(
    id: "W6s", title: "1,000,000 links on a serial queue: build, settle, drop",
    baseline: "nested queue.async per hop on a serial queue",
    pinning: .allCores, unit: "link", count: 1_000_000, quickCount: 100_000,
    subjects: [
      Subject(.gcd) { try hops($0, on: DispatchQueue(label: "bench.serial")) },
      Subject(.promise) { try links($0, on: DispatchQueue(label: "bench.serial")) },
    ])

  /// Runs a chain of links. The value that arrives counts the links that have run.
  @inline(never)
  private static func links(_ count: Int, on context: any ExecutionContext) throws -> Double {
    try checkingTally(count, of: "chain of links") {
      Stopwatch.nanoseconds(per: count) {
        let done = DispatchSemaphore(value: 0)
        let deferred = Deferred<Int>()
        var promise = deferred.promise
        for _ in 0..<count { promise = promise.map(on: context) { $0 &+ 1 } }
        promise.onFulfilled(on: context) { finish($0, signalling: done) }
        deferred.fulfill(0)
        done.wait()
        // The rest of the chain is released here with `promise`, inside the measured time.
      }
    }
  }

  /// Returns nanoseconds per hop.
  @inline(never)
  static func hops(_ count: Int, on queue: DispatchQueue) throws -> Double {
    try checkingTally(count, of: "nested hops") {
      Stopwatch.nanoseconds(per: count) {
        let done = DispatchSemaphore(value: 0)
        hop(count, on: queue, done)
        done.wait()
      }
    }
  }

  /// The global queue has many threads, but the tally is safe, because each hop happens after the hop before it.
  private static func hop(_ left: Int, on queue: DispatchQueue, _ done: DispatchSemaphore) {
    queue.async {
      guard left > 1 else { return finish(1, signalling: done) }
      _ = counted(1)
      hop(left - 1, on: queue, done)
    }
  }
}
