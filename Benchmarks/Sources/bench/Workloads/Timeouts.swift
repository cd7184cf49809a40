import Dispatch
import PromiseContexts

// W9 measures the timers of timeouts that were not needed, which is the usual case. All timers are made before the
// first is cancelled. The time includes the release of what the timers captured. Sleeping Tasks are not compared, because
// on Linux the timer of a cancelled sleep stays until its time, and would fire in later workloads.

extension Workload {
  static let w9 = Workload(
    id: "W9", title: "make and cancel 100,000 timers of .dispatch",
    baseline: "as many timer sources of Dispatch on one queue, made and cancelled",
    goal: 0.70, pinning: .allCores, unit: "timeout", count: 100_000, quickCount: 20_000,
    subjects: [
      Subject(.gcd) { count in
        let queue = DispatchQueue(label: "bench.timers")
        let captured = Captured()
        return Stopwatch.nanoseconds(per: count) {
          let sources = (0..<count).map { [captured] _ in
            let source = DispatchSource.makeTimerSource(queue: queue)
            source.setEventHandler {
              withExtendedLifetime(captured) {}
              preconditionFailure("a minute has passed")
            }
            source.schedule(deadline: .now() + .seconds(60))
            source.activate()
            return source
          }
          for source in sources { source.cancel() }
          // Dispatch ends a cancelled source on its queue.
          queue.sync {}
        }
      },
      Subject(.promise) { count in
        var captured: Captured? = Captured()
        weak let probe = captured
        let time = Stopwatch.nanoseconds(per: count) {
          let timers = (0..<count).map { [captured] _ in
            DispatchTimers.dispatch.schedule(after: .seconds(60)) {
              withExtendedLifetime(captured) {}
              preconditionFailure("a minute has passed")
            }
          }
          // A cancelled timer leaves no work for later: it has released what it captured, as is checked below.
          for timer in timers { timer.cancel() }
        }
        captured = nil
        guard probe == nil else {
          throw BenchError.wrongResult("W9 promise: a cancelled timeout keeps what it captured")
        }
        return time
      },
    ])

  private final class Captured: Sendable {}
}
