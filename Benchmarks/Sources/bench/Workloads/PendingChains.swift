import Dispatch
import PromiseContexts

// W1p, W2p and W3p attach the same chains to a pending promise and then fulfil it. No handler can run before the chain
// is complete, so each hop starts from the handler before it. Therefore the hops of the baseline are nested.

extension Workload {
  static let w1p = Workload(
    id: "W1p", title: "pending promise, 1 map(on: serial), fulfil, round trip", baseline: "1 queue.async",
    goal: 1.05, pinning: .oneCore, unit: "round trip", count: 10_000, quickCount: 1_000,
    subjects: [
      .nested1(as: .gcd),
      Subject(.promise) {
        try RoundTrips.measure($0, handlers: 1, of: "W1p promise") { queue, done in
          let deferred = Deferred<Int>()
          _ = deferred.promise
            .map(on: queue) { finish($0, signalling: done) }
          deferred.fulfill(1)
        }
      },
    ])

  static let w2p = Workload(
    id: "W2p", title: "pending promise, 2 map(on: serial), fulfil, round trip", baseline: "2 nested queue.async",
    goal: 1.05, pinning: .oneCore, unit: "round trip", count: 10_000, quickCount: 1_000,
    subjects: [
      .nested2(as: .gcd),
      Subject(.promise) {
        try RoundTrips.measure($0, handlers: 2, of: "W2p promise") { queue, done in
          let deferred = Deferred<Int>()
          _ = deferred.promise
            .map(on: queue) { counted($0) }
            .map(on: queue) { finish($0, signalling: done) }
          deferred.fulfill(1)
        }
      },
    ])

  static let w3p = Workload(
    id: "W3p", title: "pending promise, 3 map(on: serial), fulfil, round trip", baseline: "3 nested queue.async",
    goal: 1.05, pinning: .oneCore, unit: "round trip", count: 10_000, quickCount: 1_000,
    subjects: [
      .nested3(as: .gcd),
      Subject(.promise) {
        try RoundTrips.measure($0, handlers: 3, of: "W3p promise") { queue, done in
          let deferred = Deferred<Int>()
          _ = deferred.promise
            .map(on: queue) { counted($0) }
            .map(on: queue) { counted($0) }
            .map(on: queue) { finish($0, signalling: done) }
          deferred.fulfill(1)
        }
      },
    ])
}
