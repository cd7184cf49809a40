// After a value is sent into a task, the caller cannot use it.
import PromiseContexts

nonisolated final class Cache { var hits = 0 }

nonisolated func count() -> Promise<Int> {
  let cache = Cache()
  // expect: sending value
  let promise = Promise<Int>.task {
    cache.hits += 1
    return cache.hits
  }
  cache.hits += 1
  return promise
}
