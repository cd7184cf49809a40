// A value must be `Sendable`, because handlers receive it in any isolation.
// modes: plain main-actor swift5-complete
import PromiseContexts

nonisolated final class Cache { var hits = 0 }

// expect: type 'Cache' does not conform to the 'Sendable' protocol
nonisolated func cache() -> Promise<Cache> { Deferred().promise }
