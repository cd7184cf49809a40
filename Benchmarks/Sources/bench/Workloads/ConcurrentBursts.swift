import Dispatch
import PromiseContexts

// W4 and W4b measure a burst of handlers on a concurrent queue, which overlap or run one at a time.

extension Workload {
  static let w4 = Workload(
    id: "W4", title: "fulfil 10,000 promises, a handler each on .concurrent(queue)",
    baseline: "as many queue.async on the same kind of queue, and a group",
    goal: 1.00, pinning: .allCores, unit: "promise", count: 10_000, quickCount: 10_000,
    processes: processesOfBursts,
    subjects: [
      .concurrentBurst,
      Subject(.promise) { count in
        try Bursts.onConcurrentQueue { queue in
          try Bursts.fulfilling(count, of: "W4 promise", on: .concurrent(queue))
        }
      },
    ])

  static let w4b = Workload(
    id: "W4b", title: "the same on .queue(queue): with barrier",
    baseline: "as many queue.async(flags: .barrier), and a group",
    goal: 1.00, pinning: .allCores, unit: "promise", count: 10_000, quickCount: 10_000,
    processes: processesOfBursts,
    subjects: [
      Subject(.gcd) { count in
        Bursts.onConcurrentQueue { queue in
          Bursts.dispatching(count) { group in queue.async(flags: .barrier) { group.leave() } }
        }
      },
      Subject(.promise) { count in
        try Bursts.onConcurrentQueue { queue in
          try Bursts.fulfilling(count, of: "W4b promise", on: .queue(queue))
        }
      },
    ])
}
