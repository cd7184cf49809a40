// A value is handed to handlers anywhere: it must be `Sendable`.
// modes: plain main-actor swift5-complete
import PromiseContexts

nonisolated final class Cache { var hits = 0 }

// expect: type 'Cache' does not conform to the 'Sendable' protocol
nonisolated func cache() -> Promise<Cache> { Deferred().promise }
