import Dispatch
import PromiseCombinators
import PromiseContexts

// W15 measures a fan. One value starts 32 tasks, and their sum starts the next 32, on three levels. The tasks are
// short, so the cost of passing the values is measured, and not the work.
//
// The last handler of a fan starts the next fan, because a wake-up of the producer would take as long as half a fan. A
// fan of promises is completely built before its value exists. With groups, a level can only be built when the level
// before it has ended, because a group has no value. Its tasks write into an array that was allocated for them.

extension Workload {
  static let w15 = Workload(
    id: "W15", title: "fans on .pool, one after the other: 1 value, 32 map of it, Promise.all of them, three levels",
    baseline: "at each level a group, 32 queue.async(group:) on a concurrent queue, and notify",
    pinning: .allCores, unit: "fan", count: 1_000, quickCount: 200,
    processes: processesOfBursts,
    subjects: [
      Subject(.gcd) { count in
        try Bursts.onConcurrentQueue { queue in
          try Fans.measure(count, of: "groups") { value, done in Fans.groups(value, on: queue, levels: 3, end: done) }
        }
      },
      Subject(.promise) { count in try Fans.measure(count, of: "promises", start: Fans.promises) },
      Subject(.concurrency) { count in
        try Fans.measure(count, of: "task groups") { value, done in
          Task {
            var value = value
            for _ in 0..<3 { value = await Fans.taskGroup(value) }
            done(value)
          }
        }
      },
    ])
}

enum Fans {
  static let width = 32

  /// Runs the fans one after the other, and returns nanoseconds per fan. Each fan starts with 1. Throws if a fan has
  /// another result than ``result``.
  ///
  /// - Parameter start: starts a fan with a value, and calls the closure with the result of its last level.
  static func measure(
    _ count: Int, of what: String, start: @escaping @Sendable (Int, @escaping @Sendable (Int) -> Void) -> Void
  ) throws -> Double {
    let done = DispatchSemaphore(value: 0)
    // Many threads use the tally, but this is safe, because each fan happens after the fan before it.
    return try checkingTally(count * result, of: "fans of \(what), each \(result)") {
      Stopwatch.nanoseconds(per: count) {
        next(count, start: start, done: done)
        done.wait()
      }
    }
  }

  /// The result of a fan. Each level multiplies its value by 32, and adds the sum of the numbers from 0 to 31.
  static let result = (1...3).reduce(1) { value, _ in width * value + width * (width - 1) / 2 }

  private static func next(
    _ left: Int, start: @escaping @Sendable (Int, @escaping @Sendable (Int) -> Void) -> Void, done: DispatchSemaphore
  ) {
    start(1) { value in
      guard left > 1 else { return finish(value, signalling: done) }
      _ = counted(value)
      next(left - 1, start: start, done: done)
    }
  }

  @Sendable static func promises(_ value: Int, end: @escaping @Sendable (Int) -> Void) {
    let deferred = Deferred<Int>()
    var promise = deferred.promise
    for _ in 0..<3 {
      let source = promise
      promise = Promise.all((0..<width).map { number in source.map(on: .pool) { $0 + number } })
        .map(on: .pool) { $0.reduce(0, +) }
    }
    promise.onFulfilled(on: .pool) { end($0) }
    deferred.fulfill(value)
  }

  static func groups(_ value: Int, on queue: DispatchQueue, levels: Int, end: @escaping @Sendable (Int) -> Void) {
    if levels == 0 { return end(value) }
    let group = DispatchGroup()
    let results = Results(width)
    for number in 0..<width {
      queue.async(group: group) { results[number] = value + number }
    }
    group.notify(queue: queue) { groups(results.sum, on: queue, levels: levels - 1, end: end) }
  }

  static func taskGroup(_ value: Int) async -> Int {
    await withTaskGroup(of: Int.self) { group in
      for number in 0..<width { group.addTask { value + number } }
      return await group.reduce(0, +)
    }
  }
}
