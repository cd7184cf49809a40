import Dispatch
import PromiseContexts
import Synchronization

// W11 measures how one thread attaches handlers to promises while another thread settles them.

extension Workload {
  static let w11 = Workload(
    id: "W11", title: "two threads attach to and settle the same promises, handlers on one queue",
    baseline: "a mutex-guarded array of closures, dispatched to the same queue",
    pinning: .allCores, unit: "promise", count: 10_000, quickCount: 10_000,
    processes: processesOfBursts,
    subjects: [
      Subject(.gcd) { count in
        Contended.measure(count) { queue, ran in
          let cells = (0..<count).map { _ in GuardedClosures(queue) }
          return (attach: { cells[$0].attach { ran() } }, settle: { cells[$0].settle() })
        }
      },
      Subject(.promise) { count in
        Contended.measure(count) { queue, ran in
          let deferreds = (0..<count).map { _ in Deferred<Void>() }
          return (
            attach: { deferreds[$0].promise.onFulfilled(on: queue) { ran() } },
            settle: { deferreds[$0].fulfill() }
          )
        }
      },
    ])
}

/// A substitute for a promise, as a program without promises would have it.
private final class GuardedClosures: Sendable {
  private struct State {
    var closures: [@Sendable () -> Void] = []
    var isSettled = false
  }

  private let state = Mutex(State())
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  func attach(_ closure: @escaping @Sendable () -> Void) {
    let isSettled = state.withLock { state in
      if !state.isSettled { state.closures.append(closure) }
      return state.isSettled
    }
    if isSettled { queue.async(execute: closure) }
  }

  func settle() {
    let closures = state.withLock { state in
      state.isSettled = true
      defer { state.closures = [] }
      return state.closures
    }
    for closure in closures { queue.async(execute: closure) }
  }
}

/// Measures contended promises. An empty group proves that each handler has run once, as in the W4 family.
private enum Contended {
  typealias Actions = (attach: @Sendable (Int) -> Void, settle: @Sendable (Int) -> Void)

  /// Returns nanoseconds per promise, from the start of both threads until the last handler has run.
  static func measure(_ count: Int, prepare: (DispatchQueue, @escaping @Sendable () -> Void) -> Actions) -> Double {
    let queue = DispatchQueue(label: "bench.serial", qos: .userInitiated)
    let group = DispatchGroup()
    for _ in 0..<count { group.enter() }
    let actions = prepare(queue) { group.leave() }
    let (ready, start) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for action in [actions.attach, actions.settle] {
      group.enter()
      DispatchQueue.global(qos: .userInitiated).async {
        ready.signal()
        start.wait()
        for index in 0..<count { action(index) }
        group.leave()
      }
    }
    ready.wait()
    ready.wait()
    return Stopwatch.nanoseconds(per: count) {
      start.signal()
      start.signal()
      group.wait()
    }
  }
}
