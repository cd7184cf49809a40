// A handler runs elsewhere, so its captures must be `Sendable`, and a value, because handlers receive it in any isolation.
// modes: plain main-actor swift5-complete
import PromiseContexts

nonisolated final class Cache { var hits = 0 }

nonisolated func count(_ promise: Promise<Int>, _ cache: Cache) {
  // expect: capture of 'cache' with non-Sendable type 'Cache' in a '@Sendable' closure
  promise.tap { _ in cache.hits += 1 }
}

// expect: type 'Cache' does not conform to the 'Sendable' protocol
nonisolated func cache() -> Promise<Cache> { Deferred().promise }
