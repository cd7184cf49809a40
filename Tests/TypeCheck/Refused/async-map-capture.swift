// An async closure of a link runs in its own Task, so its captures must be `Sendable`.
import PromiseContexts

nonisolated final class Cache { var hits = 0 }

nonisolated func count(_ promise: Promise<Int>, _ cache: Cache) {
  // expect: capture of 'cache' with non-Sendable type 'Cache' in a '@Sendable' closure
  promise.asyncTap { _ in cache.hits += 1 }
}
