// A value is sent into a task. After that the caller cannot use it, and a parameter of the calling function cannot be
// sent.
import PromiseContexts

nonisolated final class Cache { var hits = 0 }

nonisolated func count(_ cache: Cache) -> Promise<Int> {
  // expect: passing closure as a 'sending' parameter risks causing data races
  Promise<Int>.task {
    cache.hits += 1
    return cache.hits
  }
}

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
