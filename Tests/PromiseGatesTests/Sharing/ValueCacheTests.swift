import PromiseGates
import TestSupport
import Testing

@Suite("ValueCache", .leavingNothing) struct ValueCacheTests {
  let world = TestWorld()
  let loaded = Log<String>()
  let owners = (0..<11).map { _ in Deferred<Int>() }

  func cache(
    _ lifetime: Duration? = nil, stale: Duration = .zero, limit: Int = .max,
    cost: (@Sendable (Int) -> Int)? = nil
  ) -> ValueCache<String, Int> {
    world.run { ValueCache(lifetime: lifetime, staleWhileRevalidating: stale, limit: limit, cost: cost) }
  }

  /// Asks for a value. Each load gets the outcome of the next owner.
  func ask(_ cache: ValueCache<String, Int>, _ key: String = "key") -> Promise<Int> {
    world.start {
      cache.value(for: key, on: world.main) { [loaded, owners] in
        loaded.append(key, returning: owners[loaded.entries.count - 1].promise)
      }
    }
  }

  /// Loads values, each of which is the number of its load.
  func fill(_ cache: ValueCache<String, Int>, _ keys: String...) {
    for key in keys {
      let number = loaded.entries.count
      let result = ask(cache, key)
      world.runUntilIdle(after: owners[number].fulfill(number))
      #expect(result.state.value == number)
    }
  }

  @Test("Callers share a load and its progress, and later callers get the value at once and load nothing", .rule("5.4"))
  func kept() {
    let cache = cache()
    let first = [ask(cache), ask(cache), ask(cache, "other")]
    #expect(loaded.entries == ["key", "other"])
    #expect(cache.count == 0)
    owners[0].report(progress: 0.5)
    #expect(first.map(\.progress) == [0.5, 0.5, 0])
    owners[0].fulfill(7)
    owners[1].fulfill(8)
    #expect(first.map(\.state.value) == [7, 7, 8])
    #expect(cache.count == 2)
    #expect(cache.cachedValue(for: "key") == 7)
    #expect(cache.cachedValue(for: "none") == nil)
    let later = cache.value(for: "key") { Promise.rejected(TestError(1)) }
    #expect(later.state.value == 7)
    #expect(later.progress == 1)
    #expect(loaded.entries.count == 2)
    later.cancel()
    #expect(ask(cache).state.value == 7)
  }

  @Test(
    "A load goes on if the promise of its closure is cancelled after it was fulfilled", .rule("4.0"),
    arguments: [false, true])
  func cancelledAfterwards(hasCost: Bool) {
    let cost: @Sendable (Int) -> Int = { $0 }
    let cache = cache(cost: hasCost ? cost : nil)
    // The first handler runs before the value is stored.
    let source = owners[0].promise
    source.onFulfilled(on: .atOnce) { _ in source.cancel() }
    let callers = [ask(cache), ask(cache)]
    owners[0].fulfill(7)
    source.cancel()
    world.runUntilIdle()
    #expect(callers.map(\.state.value) == [7, 7])
    #expect(cache.cachedValue(for: "key") == 7)
  }

  @Test("A value is kept for its lifetime, which begins when it is loaded")
  func lifetime() {
    let cache = cache(.seconds(10))
    let first = ask(cache)
    world.advance(by: .seconds(5))
    owners[0].fulfill(0)
    world.advance(by: .seconds(10) - .nanoseconds(1))
    #expect(first.state.value == 0)
    #expect(ask(cache).state.value == 0)
    world.advance(by: .nanoseconds(1))
    #expect(cache.cachedValue(for: "key") == nil)
    let second = ask(cache)
    #expect(second.isPending)
    #expect(loaded.entries.count == 2)
    owners[1].fulfill(1)
    #expect(second.state.value == 1)
    #expect(cache.count == 1)
    #expect(throws: Never.self) { try world.verify(.timers) }
  }

  @Test("With a lifetime of zero or a limit of zero no value is kept", arguments: [false, true])
  func nothing(_ isLimited: Bool) {
    let cache = isLimited ? cache(limit: 0) : cache(.zero)
    for number in 0..<3 {
      let results = [ask(cache), ask(cache)]
      #expect(loaded.entries.count == number + 1)
      owners[number].fulfill(number)
      #expect(results.map(\.state.value) == [number, number])
    }
  }

  @Test("A stale value is returned at once while a single load replaces it")
  func stale() {
    let cache = cache(.seconds(10), stale: .seconds(20))
    fill(cache, "key")
    world.advance(by: .seconds(10))
    #expect([ask(cache), ask(cache)].map(\.state.value) == [0, 0])
    #expect(loaded.entries.count == 2)
    world.runUntilIdle(after: owners[1].fulfill(1))
    #expect(ask(cache).state.value == 1)
    #expect(loaded.entries.count == 2)
    world.advance(by: .seconds(30))
    let late = ask(cache)
    #expect(late.isPending)
    #expect(loaded.entries.count == 3)
    owners[2].fulfill(2)
    #expect(late.state.value == 2)
  }

  @Test("A load that replaces a stale value and fails is not reported, and the next caller tries again", .rule("7.1"))
  func failedRevalidation() {
    let cache = cache(.seconds(10), stale: .seconds(20))
    fill(cache, "key")
    world.advance(by: .seconds(10))
    #expect(ask(cache).state.value == 0)
    world.runUntilIdle(after: owners[1].reject(TestError(1)))
    #expect(ask(cache).state.value == 0)
    #expect(loaded.entries.count == 3)
    world.advance(by: .seconds(20))
    // The caller waits for the load that is in progress.
    let late = ask(cache)
    #expect(late.isPending)
    #expect(loaded.entries.count == 3)
    owners[2].reject(TestError(2))
    #expect(late.failure == .test(2))
    #expect(world.takeUnhandled().isEmpty)
  }

  @Test("Errors reach all callers and are not kept")
  func errors() {
    let cache = cache()
    let results = [ask(cache), ask(cache)]
    owners[0].reject(TestError(1))
    #expect(results.map(\.failure) == [.test(1), .test(1)])
    #expect(cache.count == 0)
    let thrown = world.start { cache.value(for: "key", on: world.main) { throw TestError(2) } }
    #expect(thrown.failure == .test(2))
    fill(cache, "key")
    #expect(cache.count == 1)
    #expect(cache.debugDescription.contains("1 value, 0 loading"))
  }

  @Test("A load stops when its last caller gives up, and callers share it until then", .rule("4.6"))
  func givingUp() {
    let cache = cache()
    let results = [ask(cache), ask(cache)]
    results[0].cancel()
    #expect(results[0].isCancelled && owners[0].promise.isPending)
    results[1].cancel(upstream: true)
    #expect(owners[0].promise.isCancelled)
    #expect(cache.debugDescription.contains("0 loading"))
    let others = [ask(cache), ask(cache)]
    others[0].cancel(upstream: true)
    let late = ask(cache)
    #expect(loaded.entries.count == 2)
    owners[1].fulfill(7)
    #expect(others[1].state.value == 7)
    #expect(late.state.value == 7)
    #expect(cache.count == 1)
  }

  @Test("A caller that gives up a stale value does not stop the load that replaces it")
  func givingUpStale() {
    let cache = cache(.seconds(10), stale: .seconds(20))
    fill(cache, "key")
    world.advance(by: .seconds(10))
    ask(cache).cancel(upstream: true)
    #expect(owners[1].promise.isPending)
    world.advance(by: .seconds(20))
    #expect(owners[1].promise.isPending)
    owners[1].fulfill(1)
    #expect(ask(cache).state.value == 1)
  }

  @Test("The limit applies to the sum of costs, a negative cost makes no room, and a value above the limit is not kept")
  func cost() {
    // The costs of the loads are 0, 1, 2 and so on.
    let costs = Log<Int>()
    let cache = cache(limit: 4) { value in costs.append(value, returning: value) }
    fill(cache, "zero", "one", "two", "three")
    #expect(costs.entries == [0, 1, 2, 3])
    #expect(["zero", "one", "two", "three"].map { cache.cachedValue(for: $0) } == [nil, nil, nil, 3])
    fill(cache, "four", "five")
    #expect(cache.count == 1)
    #expect(cache.cachedValue(for: "four") == 4)
    let huge = self.cache(limit: .max) { _ in .max }
    fill(huge, "a", "b")
    #expect(huge.count == 1)
    let free = self.cache(limit: 0) { _ in -1 }
    let first = world.start { free.value(for: "a", on: world.main) { .fulfilled(1) } }
    #expect(first.state.value == 1)
    #expect(free.count == 1)
    let negative = self.cache(limit: 1) { value in value == 8 ? -10 : 1 }
    fill(negative, "a", "b", "c")
    #expect(negative.count == 1)
    #expect(negative.cachedValue(for: "c") == 10)
  }

  @Test("Expired values leave when another value is stored")
  func expired() {
    let census = Tracked.Census()
    let cache = world.run { ValueCache<Int, Tracked>(lifetime: .seconds(10)) }
    for number in 0..<5 {
      world.start { cache.value(for: number, on: world.main) { .fulfilled(Tracked(census)) } }
      world.advance(by: .seconds(5))
    }
    // The values were loaded at 0, 5, 10, 15 and 20 seconds. The third has left exactly at the end of its time.
    #expect(cache.count == 2)
    #expect(census.living == 2)
    world.advance(by: .seconds(20))
    world.start { cache.value(for: 9, on: world.main) { .fulfilled(Tracked(census)) } }
    #expect(cache.count == 1)
    #expect(census.living == 1)
    cache.removeAll()
    #expect(cache.count == 0)
    #expect(census.living == 0)
  }

  @Test("After a removal, no caller gets a value whose load began before it", arguments: [false, true])
  func removed(_ all: Bool) {
    let cache = cache()
    fill(cache, "key")
    if all { cache.removeAll() } else { cache.removeValue(for: "key") }
    #expect(cache.count == 0)
    let early = ask(cache)
    if all { cache.removeAll() } else { cache.removeValue(for: "key") }
    let late = ask(cache)
    #expect(loaded.entries.count == 3)
    owners[1].fulfill(1)
    #expect(early.state.value == 1)
    #expect(late.isPending)
    #expect(cache.cachedValue(for: "key") == nil)
    owners[2].fulfill(2)
    #expect(late.state.value == 2)
    #expect(cache.cachedValue(for: "key") == 2)
    #expect(cache.count == 1)
    cache.removeValue(for: "none")
    #expect(cache.count == 1)
  }

  @Test("A value that expires while it is replaced leaves, and the load goes on")
  func expiredWhileLoading() {
    let cache = cache(.seconds(10), stale: .seconds(10))
    fill(cache, "key")
    world.advance(by: .seconds(15))
    #expect(ask(cache).state.value == 0)
    world.advance(by: .seconds(10))
    let other = ask(cache, "other")
    owners[2].fulfill(2)
    #expect(other.state.value == 2)
    #expect(cache.count == 1)
    let late = ask(cache)
    #expect(late.isPending)
    #expect(loaded.entries.count == 3)
    owners[1].fulfill(1)
    #expect(late.state.value == 1)
    #expect(cache.count == 2)
  }

  @Test("Keys with the same hash value stay separate")
  func clashing() {
    let cache = world.run { ValueCache<Clashing, Int>() }
    let owners = (0..<4).map { _ in Deferred<Int>() }
    let ask: @Sendable (Int) -> Promise<Int> = { number in
      world.run { cache.value(for: Clashing(number: number), on: world.main) { owners[number].promise } }
    }
    let results = (0..<4).map(ask)
    world.runUntilIdle()
    results[1].cancel()
    for number in [3, 0, 2] { owners[number].fulfill(number) }
    cache.removeValue(for: Clashing(number: 0))
    #expect((0..<4).map { cache.cachedValue(for: Clashing(number: $0)) } == [nil, nil, 2, 3])
    #expect([0, 2, 3].allSatisfy { results[$0].state.value == $0 })
  }

  @Test("Values of an optional type are kept, also nil")
  func optional() {
    let cache = world.run { ValueCache<Int, Int?>() }
    let count = Log<Int>()
    for _ in 0..<2 {
      let result = world.start { cache.value(for: 1, on: world.main) { count.append(1, returning: .fulfilled(nil)) } }
      #expect(result.state.value == .some(nil))
    }
    #expect(count.entries.count == 1)
  }

  @Test("An async closure, the main actor and an actor load values, which all callers share")
  func forms() {
    let cache = world.run { ValueCache<Int, Int>(cost: { _ in 1 }) }
    let count = Log<Int>()
    let results = world.start {
      [
        cache.asyncValue(for: 1) { count.append(1, returning: 1) },
        cache.value(for: 2, on: .main) { count.append(2, returning: .fulfilled(2)) },
        cache.value(for: 3, isolatedTo: Owner()) { owner in count.append(3 + owner.zero, returning: .fulfilled(3)) },
      ]
    }
    #expect(results.map(\.state.value) == [1, 2, 3])
    #expect(cache.count == 3)
    #expect((1...3).map { cache.asyncValue(for: $0) { 9 }.state.value } == [1, 2, 3])
    #expect(count.entries.count == 3)
  }

  private actor Owner { let zero = 0 }

  @Test("In any order of events, each caller gets a value that was loaded after the last removal before its call")
  func everyOrder() throws {
    _ = try TestWorld.explore(schedules: 200, seed: 11) { world in
      let version = Locked(0)
      let loads = Locked(0)
      let cache = ValueCache<Int, Int>()
      let results = Log<(Int, Promise<Int>)>()
      for number in 0..<4 {
        world.sometime("call \(number)") {
          let now = version.withLock { $0 }
          let result = cache.value(for: 1, on: world.pool) {
            _ = loads.increment()
            let loaded = version.withLock { $0 }
            return world.work("loaded \(number)", endingWith: loaded)
          }
          results.append((now, result))
          if number == 3 { result.cancel() }
        }
      }
      world.sometime("change") {
        _ = version.increment()
        cache.removeValue(for: 1)
      }
      world.runUntilIdle()
      for (version, result) in results.entries {
        world.expect(result.isCancelled || result.state.value.map { $0 >= version } ?? false)
      }
      world.expect(results.entries.count == 4 && loads.withLock { $0 } <= 4)
      world.expect(cache.count <= 1 && cache.debugDescription.contains("0 loading"))
    }
  }
}

extension ValueCacheTests {
  /// A key that asks the cache for its count while it is hashed.
  private final class Asking: Hashable, Sendable {
    let cache = Locked<ValueCache<Asking, Int>?>(nil)
    static func == (one: Asking, other: Asking) -> Bool { one === other }
    func hash(into hasher: inout Hasher) { hasher.combine(cache.withLock { $0 }?.count) }
  }

  @Test("No key is hashed while the cache is locked", .rule("6.5"))
  func hashing() {
    let (cache, key) = (ValueCache<Asking, Int>(), Asking())
    key.cache.withLock { $0 = cache }
    #expect(cache.cachedValue(for: key) == nil)
    cache.removeValue(for: key)
    key.cache.withLock { $0 = nil }
  }
}
