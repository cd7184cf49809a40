import Dispatch
import PromiseContexts

/// Measures many handlers at once, for the W4 family.
///
/// As in benchmark B4 of Google, the promises and handlers are prepared before. The measured time begins with the loop
/// that fulfils the promises, and ends when the last handler has left the group. The promises are retained meanwhile.
/// An empty group proves that as many handlers have run as there are promises. The group crashes if more run. It hangs
/// if fewer run, and then the watchdog ends the process.
enum Bursts {
  /// Fulfils all promises, waits for their handlers on the context, and returns nanoseconds per promise.
  @inline(__always)
  static func fulfilling(_ count: Int, of what: String, on context: any ExecutionContext) throws -> Double {
    let group = DispatchGroup()
    let deferreds = (0..<count).map { _ in
      let deferred = Deferred<Int>()
      group.enter()
      _ = deferred.promise.map(on: context) { _ in group.leave() }
      return deferred
    }
    let time = Stopwatch.nanoseconds(per: count) {
      for deferred in deferreds { deferred.fulfill(1) }
      group.wait()
    }
    guard deferreds.allSatisfy(\.promise.isFulfilled) else {
      throw BenchError.wrongResult("\(what): not all are fulfilled")
    }
    return time
  }

  /// Passes all closures to a queue, waits for them, and returns nanoseconds per closure.
  @inline(__always)
  static func dispatching(_ count: Int, enqueue: (DispatchGroup) -> Void) -> Double {
    let group = DispatchGroup()
    for _ in 0..<count { group.enter() }
    return Stopwatch.nanoseconds(per: count) {
      for _ in 0..<count { enqueue(group) }
      group.wait()
    }
  }

  /// Passes a concurrent queue to the closure, and waits until the queue is idle again.
  @inline(__always)
  static func onConcurrentQueue(_ body: (DispatchQueue) throws -> Double) rethrows -> Double {
    let queue = DispatchQueue(label: "bench.concurrent", qos: .userInitiated, attributes: .concurrent)
    defer { queue.sync(flags: .barrier) {} }
    return try body(queue)
  }
}

extension Subject {
  /// The same number of `queue.async` on a concurrent queue, and a group.
  static let concurrentBurst = Subject(.gcd) { count in
    Bursts.onConcurrentQueue { queue in
      Bursts.dispatching(count) { group in queue.async { group.leave() } }
    }
  }
}
