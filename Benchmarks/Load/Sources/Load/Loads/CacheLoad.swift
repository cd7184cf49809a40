import PromiseCombinators
import PromiseGates

/// Reads of a cache whose values expire, are shown while they are replaced, and are removed. A part of the loads fails.
final class CacheLoad: Load {
  let name = "caches"
  let tally = Tally()
  let rate: Double

  private struct SampleError: Error {}

  private static let keyCount = 2_000
  private let cache: ValueCache<Int, Int>
  private let timers: CountedTimers

  init(_ surroundings: Surroundings) {
    rate = 500 * surroundings.scale
    timers = surroundings.timers
    cache = ValueCache(
      lifetime: .seconds(1), staleWhileRevalidating: .seconds(1), limit: Self.keyCount / 4, timers: timers)
  }

  func proceed(_ count: Int) {
    for _ in 0..<count { read() }
  }

  private func read() {
    // Small keys are read more often.
    let key = Int.random(in: 0..<Self.keyCount) * Int.random(in: 0..<Self.keyCount) / Self.keyCount
    if key % 97 == 0 { cache.removeValue(for: key) }
    let start = tally.begin()
    let value = cache.value(for: key) { [timers] in
      Promise.after(.milliseconds(2), timers: timers).map {
        if Int.random(in: 0..<20) == 0 { throw SampleError() }
        return key
      }
    }
    tally.observe(value, since: start) { result in
      if case .failure(let error) = result { error is SampleError } else { (try? result.get()) == key }
    }
  }

  func stop() -> Promise<Void> {
    tally.bag.close()
    cache.removeAll()
    return tally.bag.whenFinished()
  }
}
