// A view on a context does not protect values that are not `Sendable`, because the compiler does not know that the
// context runs one handler at a time.
import PromiseContexts

nonisolated final class Cache { var hits = 0 }

nonisolated func count(_ promise: Promise<Int>, _ cache: Cache, _ context: any ExecutionContext) {
  // expect: capture of 'cache' with non-Sendable type 'Cache' in a '@Sendable' closure
  promise.on(context).tap { _ in cache.hits += 1 }
}
