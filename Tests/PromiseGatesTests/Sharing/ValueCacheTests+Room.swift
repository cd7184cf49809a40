import PromiseGates
import TestSupport
import Testing

extension ValueCacheTests {
  @Test("A value that replaces another counts once, and values that were removed do not count")
  func replaced() {
    let cache = cache(.seconds(10), stale: .seconds(20), limit: 2)
    fill(cache, "a", "b")
    world.advance(by: .seconds(10))
    #expect(ask(cache, "a").state.value == 0)
    world.runUntilIdle(after: owners[2].fulfill(2))
    #expect(cache.count == 2)
    #expect(cache.cachedValue(for: "a") == 2)
    #expect(ask(cache, "b").state.value == 1)
    world.runUntilIdle(after: owners[3].fulfill(3))
    #expect(cache.count == 2)
    #expect(cache.cachedValue(for: "a") == 2)
    #expect(cache.cachedValue(for: "b") == 3)
    cache.removeAll()
    fill(cache, "c", "d")
    #expect(cache.count == 2)
  }

  @Test("A stale value that is used stays longer than values that nothing uses")
  func usedWhileStale() {
    let cache = cache(.seconds(10), stale: .seconds(20), limit: 2)
    fill(cache, "a", "b")
    world.advance(by: .seconds(15))
    let used = ask(cache, "a")
    let other = ask(cache, "c")
    world.runUntilIdle(after: owners[3].fulfill(3))
    #expect(used.state.value == 0)
    #expect(other.state.value == 3)
    #expect(cache.count == 2)
    // The load that replaces the value is still in progress.
    #expect(ask(cache, "a").state.value == 0)
    #expect(loaded.entries == ["a", "b", "a", "c"])
    owners[2].fulfill(2)
    #expect(cache.cachedValue(for: "a") == 2)
  }

  @Test("Whatever is stored, used and removed, the values that were not used for longest leave")
  func orderOfUse() {
    let cache = world.run { ValueCache<Int, Int>(limit: 4) }
    // The keys of the values that are kept, in the order of use.
    var keys: [Int] = []
    var random = UInt64(1)
    for step in 0..<1_000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let key = Int(random >> 33) % 8
      let choice = Int(random >> 48) % 8
      let isKept = keys.contains(key)
      keys.removeAll { $0 == key }
      switch choice {
      case 0: cache.removeValue(for: key)
      case 1, 2, 3:
        #expect((cache.cachedValue(for: key) != nil) == isKept, "step \(step)")
        if isKept { keys.append(key) }
      default:
        world.start { cache.value(for: key, on: world.main) { .fulfilled(key) } }
        keys = (keys + [key]).suffix(4)
      }
      #expect(cache.count == keys.count, "step \(step)")
    }
  }

  // A negative time for stale values must not shorten the lifetime of "a" when "b" is stored.
  @Test(
    "A value that has expired stays until the values that were not used for longer have expired, too",
    arguments: [Duration.zero, .seconds(-5)])
  func expiredBehindFresh(_ stale: Duration) {
    let cache = cache(.seconds(10), stale: stale)
    fill(cache, "a")
    world.advance(by: .seconds(5))
    fill(cache, "b")
    #expect(cache.cachedValue(for: "a") == 0)
    world.advance(by: .seconds(5))
    fill(cache, "c")
    #expect(cache.count == 3)
    world.advance(by: .seconds(5))
    fill(cache, "d")
    #expect(cache.count == 2)
  }

  @Test("The cost is computed where the closure runs, and on the pool for an async closure")
  func placeOfCost() {
    let context = ManualContext()
    let costs = Log<Int>()
    let owner = Deferred<Int>()
    let cache = world.run { ValueCache<Int, Int>(cost: { value in costs.append(value, returning: 1) }) }
    let result = cache.value(for: 1, on: context) { owner.promise }
    context.runUntilIdle()
    owner.fulfill(1)
    #expect(costs.entries.isEmpty)
    #expect(result.isPending)
    context.runUntilIdle()
    #expect(costs.entries == [1])
    #expect(result.state.value == 1)
    let isLoaded = Log<Bool>()
    let other = world.run { cache.asyncValue(for: 2) { isLoaded.append(true, returning: 2) } }
    while isLoaded.entries.isEmpty, world.step() {}
    #expect(costs.entries == [1])
    #expect(other.isPending)
    world.runUntilIdle()
    #expect(costs.entries == [1, 2])
    #expect(other.state.value == 2)
  }

  /// A value that calls a closure when it is deallocated.
  private final class Noted: Sendable {
    let cost: Int
    private let onRelease: @Sendable () -> Void

    init(_ cost: Int, _ onRelease: @escaping @Sendable () -> Void) {
      self.cost = cost
      self.onRelease = onRelease
    }

    deinit { onRelease() }
  }

  @Test("A value that needs the room of many others removes them a few at a time")
  func manyRemovals() {
    let counts = Log<Int>()
    let cache = world.run { ValueCache<Int, Noted>(limit: 200) { $0.cost } }
    for number in 0..<200 {
      world.start {
        cache.value(for: number, on: world.main) { [weak cache] in
          .fulfilled(Noted(1) { [weak cache] in counts.append(cache?.count ?? -1) })
        }
      }
    }
    #expect(cache.count == 200)
    world.start { cache.value(for: -1, on: world.main) { .fulfilled(Noted(200) {}) } }
    #expect(cache.count == 1)
    #expect(counts.entries.count == 200)
    // The lock was free in between.
    #expect(counts.entries.first == 136)
    #expect(counts.entries.last == 1)
  }

  @Test("The removal of all values releases a value that is being replaced, and the new one is not kept", .rule("4.9"))
  func removedWhileReplaced() {
    let census = Tracked.Census()
    let cache = world.run { ValueCache<Int, Tracked>(lifetime: .seconds(1), staleWhileRevalidating: .seconds(9)) }
    let owner = Deferred<Tracked>()
    world.start { cache.value(for: 0, on: world.main) { .fulfilled(Tracked(census)) } }
    world.advance(by: .seconds(2))
    world.start { cache.value(for: 0, on: world.main) { owner.promise } }
    #expect(census.living == 1)
    cache.removeAll()
    #expect(census.living == 0)
    world.runUntilIdle(after: owner.fulfill(Tracked(census)))
    #expect(cache.count == 0)
  }

  /// A key that calls a closure when it is compared with one that was known before.
  private struct Key: Hashable {
    var onEquals: @Sendable () -> Void = {}

    static func == (known: Key, new: Key) -> Bool {
      known.onEquals()
      new.onEquals()
      return true
    }

    func hash(into hasher: inout Hasher) {}
  }

  @Test("A value that is removed while keys are compared is not found", arguments: [false, true])
  func removedWhileCompared(_ all: Bool) {
    let cache = world.run { ValueCache<Key, Int>() }
    world.start { cache.value(for: Key(), on: world.main) { .fulfilled(1) } }
    #expect(cache.cachedValue(for: Key()) == 1)
    let key = Key { if all { cache.removeAll() } else { cache.removeValue(for: Key()) } }
    #expect(cache.cachedValue(for: key) == nil)
    #expect(cache.count == 0)
    let later = world.start { cache.value(for: Key(), on: world.main) { .fulfilled(2) } }
    #expect(later.state.value == 2)
    #expect(cache.count == 1)
  }
}
