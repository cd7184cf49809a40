// A parameter of the calling function cannot be sent into a task.
import PromiseContexts

nonisolated final class Cache { var hits = 0 }

nonisolated func count(_ cache: Cache) -> Promise<Int> {
  // expect: passing closure as a 'sending' parameter risks causing data races
  Promise<Int>.task {
    cache.hits += 1
    return cache.hits
  }
}
