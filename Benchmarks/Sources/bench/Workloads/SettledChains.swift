import Dispatch
import PromiseContexts

// W1, W2 and W3 attach links to a promise that is already settled. The producer races with the first handler.

extension Workload {
  static let w1 = Workload(
    id: "W1", title: "settled promise, 1 map(on: serial), round trip", baseline: "1 queue.async",
    goal: 1.05, pinning: .oneCore, unit: "round trip", count: 10_000, quickCount: 1_000,
    subjects: [
      Subject(.gcd) { try inARow($0, 1) { queue, done in queue.async { finish(1, signalling: done) } } },
      Subject(.promise) {
        try RoundTrips.measure($0, handlers: 1, of: "W1 promise") { queue, done in
          _ = Promise.fulfilled(1)
            .map(on: queue) { finish($0, signalling: done) }
        }
      },
      .actorCall,
    ])

  static let w2 = Workload(
    id: "W2", title: "settled promise, 2 map(on: serial), round trip", baseline: "2 queue.async in a row",
    goal: 1.05, pinning: .oneCore, unit: "round trip", count: 10_000, quickCount: 1_000,
    subjects: [
      Subject(.gcd) {
        try inARow($0, 2) { queue, done in
          queue.async { _ = counted(1) }
          queue.async { finish(1, signalling: done) }
        }
      },
      Subject(.promise) {
        try RoundTrips.measure($0, handlers: 2, of: "W2 promise") { queue, done in
          _ = Promise.fulfilled(1)
            .map(on: queue) { counted($0) }
            .map(on: queue) { finish($0, signalling: done) }
        }
      },
      .nested2,
      .actorCalls2,
    ])

  static let w3 = Workload(
    id: "W3", title: "settled promise, 3 map(on: serial), round trip", baseline: "3 queue.async in a row",
    goal: 1.05, pinning: .oneCore, unit: "round trip", count: 10_000, quickCount: 1_000,
    subjects: [
      Subject(.gcd) {
        try inARow($0, 3) { queue, done in
          queue.async { _ = counted(1) }
          queue.async { _ = counted(1) }
          queue.async { finish(1, signalling: done) }
        }
      },
      Subject(.promise) {
        try RoundTrips.measure($0, handlers: 3, of: "W3 promise") { queue, done in
          _ = Promise.fulfilled(1)
            .map(on: queue) { counted($0) }
            .map(on: queue) { counted($0) }
            .map(on: queue) { finish($0, signalling: done) }
        }
      },
      .nested3,
      .actorCalls3,
    ])

  @inline(__always)
  private static func inARow(
    _ count: Int, _ handlers: Int, start: (DispatchQueue, DispatchSemaphore) -> Void
  ) throws -> Timing {
    try RoundTrips.measure(count, handlers: handlers, of: "\(handlers) queue.async in a row", start: start)
  }
}
