import PromiseContexts

// W4p measures a burst of handlers on the library's own pool.

extension Workload {
  static let w4p = Workload(
    id: "W4p", title: "fulfil 10,000 promises, a handler each on .pool",
    baseline: "as many queue.async on a concurrent queue, and a group",
    goal: 0.40, pinning: .allCores, unit: "promise", count: 10_000, quickCount: 10_000,
    processes: processesOfBursts,
    subjects: [
      .concurrentBurst,
      Subject(.promise) { try Bursts.fulfilling($0, of: "W4p promise", on: .pool) },
      Subject(.concurrency) { WaitingTasks.resuming($0) {} },
    ])
}
