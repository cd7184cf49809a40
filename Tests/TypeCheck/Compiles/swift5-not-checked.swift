// Captures and values that are not `Sendable`, which minimal checking accepts, as Docs/Guides/Contexts.md says.
// modes: swift5 swift5-main
import PromiseContexts

nonisolated final class Cache { var hits = 0 }

nonisolated func count(_ promise: Promise<Int>, _ cache: Cache) {
  promise.tap { _ in cache.hits += 1 }
}

nonisolated func cache() -> Promise<Cache> { Deferred().promise }
