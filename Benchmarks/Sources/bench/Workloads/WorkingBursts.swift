import Dispatch
import PromiseContexts

// W4w: handlers that do something. What the pool saves by waking fewer threads it must not lose by running them late.

extension Workload {
  static let w4w = Workload(
    id: "W4w", title: "W4p with 5 µs of work in each handler",
    baseline: "the same work in queue.async on a global queue, and a group",
    goal: 1.00, pinning: .allCores, unit: "promise", count: 10_000, quickCount: 10_000,
    subjects: [
      Subject(.gcd) { count in
        let queue = DispatchQueue.global()
        return measure(count) { work in
          Bursts.dispatching(count) { group in
            queue.async {
              work()
              group.leave()
            }
          }
        }
      },
      Subject(.promise) { count in
        measure(count) { work in
          let group = DispatchGroup()
          let deferreds = (0..<count).map { _ in
            let deferred = Deferred<Int>()
            group.enter()
            _ = deferred.promise.map(on: .pool) { _ in
              work()
              group.leave()
            }
            return deferred
          }
          return Stopwatch.nanoseconds(per: count) {
            for deferred in deferreds { deferred.fulfill(1) }
            group.wait()
          }
        }
      },
      Subject(.concurrency) { count in measure(count) { WaitingTasks.resuming(count, work: $0) } },
    ])

  /// All sides do the same number of the same steps, and not "until 5 µs have passed": a thread that is put aside would have done
  /// its work meanwhile.
  private static func measure(_ count: Int, _ round: (@escaping @Sendable () -> Void) -> Double) -> Double {
    let steps = stepsOfWork
    return round { work(steps) }
  }

  /// As many as take 5 µs here: the best of many attempts.
  private static let stepsOfWork: Int = {
    let attempts = (0..<100).map { _ in Stopwatch.nanoseconds(per: 10_000) { work(10_000) } }
    return Int(5_000 / (attempts.min() ?? 1))
  }()

  /// Steps that depend on each other, and whose end is looked at, so that none can be left out.
  @inline(never)
  private static func work(_ steps: Int) {
    var word = UInt64(truncatingIfNeeded: steps) | 1
    for _ in 0..<steps {
      word ^= word << 13
      word ^= word >> 7
      word ^= word << 17
    }
    precondition(word != 0)
  }
}
