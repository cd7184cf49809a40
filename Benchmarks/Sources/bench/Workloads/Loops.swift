import Dispatch
import PromiseContexts

// W7 and its variants measure a loop in which a handler starts the next step. A million promises that adopt each other
// must not crash, and memory must not grow.

extension Workload {
  static let w7 = loop("W7", on: "pool", goal: 1.10, isPending: false)
  static let w7p = loop("W7p", on: "pool", goal: 1.20, isPending: true)
  static let w7s = loop("W7s", on: "a serial queue", isPending: false)
  static let w7sp = loop("W7sp", on: "a serial queue", isPending: true)

  private static func loop(_ id: String, on place: String, goal: Double? = nil, isPending: Bool) -> Workload {
    let isOnPool = place == "pool"
    // A step with a settled promise has no equivalent in Swift concurrency, because the loop would not leave its
    // thread.
    let tasks = Subject(.concurrency) { try isOnPool ? StepTasks.measureOnPool($0) : StepTasks.measureInActor($0) }
      .withUnits(dividedBy: 10)
    return Workload(
      id: id,
      title:
        "recursive then loop on \(place), 1,000,000 steps, each over a \(isPending ? "pending" : "settled") promise",
      baseline: isOnPool
        ? "nested DispatchQueue.global().async per step" : "nested queue.async per step on a serial queue",
      goal: goal, pinning: .allCores, unit: "step", count: 1_000_000, quickCount: 100_000,
      subjects: [
        Subject(.gcd) { try hops($0, on: isOnPool ? .global() : DispatchQueue(label: "bench.serial")) },
        Subject(.promise) {
          try Loop(count: $0, on: isOnPool ? .pool : DispatchQueue(label: "bench.serial"), isPending: isPending)
            .measure()
        },
      ] + (isPending ? [tasks] : []))
  }

  private struct Loop: Sendable {
    let count: Int
    let context: any ExecutionContext
    let isPending: Bool
    let growth: Growth

    init(count: Int, on context: any ExecutionContext, isPending: Bool) {
      self.count = count
      self.context = context
      self.isPending = isPending
      growth = Growth()
    }

    /// Runs the loop. The value that arrives counts the steps.
    @inline(never)
    func measure() throws -> Double {
      try checkingTally(count, of: "loop") {
        Stopwatch.nanoseconds(per: count) {
          let done = DispatchSemaphore(value: 0)
          step(0).onFulfilled(on: context) { finish($0, signalling: done) }
          done.wait()
        }
      }
    }

    private func step(_ number: Int) -> Promise<Int> {
      if number == count { return .fulfilled(number) }
      if number.isMultiple(of: count / 10) { growth.sample() }
      if !isPending { return Promise.fulfilled(number).then(on: context) { step($0 + 1) } }
      // The promise is pending when the link is attached. This thread fulfils it, because the wake-up of another thread
      // would dominate the measurement.
      let deferred = Deferred<Int>()
      let next = deferred.promise.then(on: context) { step($0 + 1) }
      deferred.fulfill(number)
      return next
    }
  }
}
