import TestSupport
import Testing

extension Stress {
  @Suite("Storms")
  struct StormTests {
    @Test(
      "Random operations of several threads leave every promise settled and run every handler",
      .rule("1.1", "2.1", "3.2", "6.2", "8.2"))
    func everything() {
      let census = Tracked.Census()
      for seed in 0..<UInt64(Effort.of(150, full: 500)) { storm(seed, census) }
      #expect(census.living == 0)
    }

    private func storm(_ seed: UInt64, _ census: Tracked.Census) {
      let context = ManualContext(isGrouping: seed.isMultiple(of: 2))
      let seen = Log<Int>()
      let attached = Log<Int>()
      // The owners are held in a box, so that they can be released. A queue may hold a closure for a moment after it
      // has run.
      let owners = Locked((0..<6).map { _ in Deferred<Int>() })
      let promises = Locked(owners.withLock { $0.map(\.promise) })
      race(
        (0..<3).map { thread in
          {
            var random = Seeded(seed << 8 | UInt64(thread))
            let owners = owners.withLock { $0 }
            for step in 0..<120 {
              let (promise, other) = promises.withLock { all in
                (all[.random(in: 0..<all.count, using: &random)], all[.random(in: 0..<all.count, using: &random)])
              }
              let owner = owners[.random(in: 0..<owners.count, using: &random)]
              let number = thread * 1_000 + step
              let payload = Tracked(census)
              switch Int.random(in: 0..<24, using: &random) {
              case 0: owner.fulfill(number)
              case 1: owner.reject(TestError(number))
              case 2...6: owner.follow(promise)
              case 7...9:
                let derived = promise.then(on: context) { _ in payload.carrying(other) }
                promises.withLock { $0.append(derived) }
              case 10...12:
                let derived = promise.always(on: context) { _ in withExtendedLifetime(payload) {} }
                promises.withLock { $0.append(derived) }
              case 13: _ = promise.rescue(on: context) { _ in payload.carrying(other) }
              case 14...16: context.step()
              case 17: _ = (promise.isPending, promise.root, promise.parent, promise.result)
              default:
                attached.append(number)
                promise.onSettled(on: context) { _ in seen.append(payload.carrying(number)) }
              }
            }
          }
        })
      owners.withLock { $0 = [] }
      context.runUntilIdle()
      #expect(promises.withLock { $0.allSatisfy { !$0.isPending } }, "seed \(seed)")
      #expect(seen.entries.sorted() == attached.entries.sorted(), "seed \(seed)")
      #expect(promises.withLock { $0.count } > 6)
      promises.withLock { $0 = [] }
    }
  }
}
