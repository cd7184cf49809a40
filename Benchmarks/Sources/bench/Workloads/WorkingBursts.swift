import Dispatch
import PromiseContexts

// W4w measures handlers that do some work. The pool wakes fewer threads, but must not lose the gain by running handlers
// late.

extension Workload {
  static let w4w = Workload(
    id: "W4w", title: "W4p with 5 µs of work in each handler",
    baseline: "the same work in queue.async on a global queue, and a group",
    goal: 1.02, pinning: .allCores, unit: "promise", count: 10_000, quickCount: 10_000,
    processes: processesOfBursts,
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

  /// Runs a round in which all subjects do the same number of steps. A limit of 5 µs instead would count the time in
  /// which a thread is suspended as work.
  private static func measure(_ count: Int, _ round: (@escaping @Sendable () -> Void) -> Double) -> Double {
    let steps = stepsOfWork
    return round { work(steps) }
  }

  /// The number of steps that take 5 µs on this machine, by the best of many attempts.
  private static let stepsOfWork: Int = {
    let attempts = (0..<100).map { _ in Stopwatch.nanoseconds(per: 10_000) { work(10_000) } }
    return Int(5_000 / (attempts.min() ?? 1))
  }()

  /// Runs steps that depend on each other, and checks their result, so that the optimiser cannot remove them.
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
