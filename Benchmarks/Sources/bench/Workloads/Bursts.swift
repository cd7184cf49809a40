import Dispatch
import PromiseContexts

/// Many handlers at once: the frame of the W4 family.
///
/// Google's B4: promises and handlers are prepared untimed; timed is the loop that fulfils, until the last handler has
/// left the group. The promises are kept alive meanwhile. That the group empties is the proof that all handlers have
/// run, each once: it crashes where one leaves twice, and hangs, under the watchdog, where one never does.
enum Bursts {
  /// Nanoseconds per promise: fulfil them all and wait for the handlers, which run on a context.
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

  /// Nanoseconds per closure: give them all to a queue and wait for them.
  @inline(__always)
  static func dispatching(_ count: Int, enqueue: (DispatchGroup) -> Void) -> Double {
    let group = DispatchGroup()
    for _ in 0..<count { group.enter() }
    return Stopwatch.nanoseconds(per: count) {
      for _ in 0..<count { enqueue(group) }
      group.wait()
    }
  }

  /// A concurrent queue, idle again when the closure has returned.
  @inline(__always)
  static func onConcurrentQueue(_ body: (DispatchQueue) throws -> Double) rethrows -> Double {
    let queue = DispatchQueue(label: "bench.concurrent", qos: .userInitiated, attributes: .concurrent)
    defer { queue.sync(flags: .barrier) {} }
    return try body(queue)
  }
}

extension Subject {
  /// So many `queue.async` on a concurrent queue, and a group.
  static let concurrentBurst = Subject(.gcd) { count in
    Bursts.onConcurrentQueue { queue in
      Bursts.dispatching(count) { group in queue.async { group.leave() } }
    }
  }
}
