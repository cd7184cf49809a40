import Dispatch
import PromiseContexts

// W14 measures the latency of an answer that passes eight handlers, and the latency of the slowest answers. The
// producer waits for each answer, so single round trips are compared, and not the means of rounds.

extension Workload {
  static let w14 = Workload(
    id: "W14", title: "latency: pending promise, 8 map(on: serial), fulfil, each round trip by itself",
    baseline: "8 nested queue.async",
    goal: 1.08, p99Goal: 1.05, sampled: .trip, pinning: .oneCore, unit: "round trip", count: 10_000, quickCount: 1_000,
    subjects: [
      Subject(.gcd) {
        try RoundTrips.measure($0, handlers: 8, of: "8 nested queue.async") { queue, done in
          queue.async {
            _ = counted(1)
            queue.async {
              _ = counted(1)
              queue.async {
                _ = counted(1)
                queue.async {
                  _ = counted(1)
                  queue.async {
                    _ = counted(1)
                    queue.async {
                      _ = counted(1)
                      queue.async {
                        _ = counted(1)
                        queue.async { finish(1, signalling: done) }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      },
      Subject(.promise) {
        try RoundTrips.measure($0, handlers: 8, of: "W14 promise") { queue, done in
          let deferred = Deferred<Int>()
          _ = deferred.promise
            .map(on: queue) { counted($0) }
            .map(on: queue) { counted($0) }
            .map(on: queue) { counted($0) }
            .map(on: queue) { counted($0) }
            .map(on: queue) { counted($0) }
            .map(on: queue) { counted($0) }
            .map(on: queue) { counted($0) }
            .map(on: queue) { finish($0, signalling: done) }
          deferred.fulfill(1)
        }
      },
    ])
}
