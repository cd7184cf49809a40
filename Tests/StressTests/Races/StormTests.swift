import Dispatch
import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Storms")
  struct StormTests {
    @Test(
      "Random operations of several threads leave every promise settled and run every handler",
      .rule("1.1", "2.1", "3.2", "6.2", "8.2")
    )
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
                let derived = promise.then(on: context) { _ in withExtendedLifetime(payload) { other } }
                promises.withLock { $0.append(derived) }
              case 10...12:
                let derived = promise.always(on: context) { _ in withExtendedLifetime(payload) {} }
                promises.withLock { $0.append(derived) }
              case 13: _ = promise.rescue(on: context) { _ in withExtendedLifetime(payload) { other } }
              case 14...16: context.step()
              case 17: _ = (promise.isPending, promise.root, promise.parent, promise.result)
              default:
                attached.append(number)
                promise.onSettled(on: context) { _ in withExtendedLifetime(payload) { seen.append(number) } }
              }
            }
          }
        })
      let last = owners.withLock { owners in
        defer { owners = [] }
        return owners
      }
      withExtendedLifetime(consume last) {}
      context.runUntilIdle()
      let pending = promises.withLock { $0.filter(\.isPending).count }
      #expect(pending == 0, "seed \(seed)")
      #expect(seen.entries.sorted() == attached.entries.sorted(), "seed \(seed)")
      let all = promises.withLock { promises in
        defer { promises = [] }
        return promises
      }
      #expect(all.count > 6)
    }

    @Test(
      "Handlers attached by several threads on concurrent queues run once each and see the value",
      .rule("2.2", "2.7", "8.2"))
    func concurrentQueues() {
      let queue = DispatchQueue(label: "storm", attributes: .concurrent)
      let group = DispatchGroup()
      let sum = Locked(0)
      let deferreds = (0..<50).map { _ in Deferred<Int>() }
      let contexts: [any ExecutionContext] = [queue, .concurrent(queue), .pool, .global(qos: .userInitiated)]
      // For each promise, two attachers each attach a handler for every context and a derived chain over all contexts.
      let expected = 50 * 2 * contexts.count + 50 * 2
      for _ in 0..<expected { group.enter() }
      let attach: @Sendable () -> Void = {
        for deferred in deferreds {
          for context in contexts {
            deferred.promise.onFulfilled(on: context) { value in
              sum.withLock { $0 += value }
              group.leave()
            }
          }
          contexts.reduce(deferred.promise) { promise, context in promise.map(on: context) { $0 + 1 } }
            .onFulfilled(on: .pool) { value in
              sum.withLock { $0 += value }
              group.leave()
            }
        }
      }
      race([attach, attach, { for deferred in deferreds { deferred.fulfill(1) } }])
      group.wait()
      #expect(sum.withLock { $0 } == 50 * 2 * contexts.count + 50 * 2 * (1 + contexts.count))
    }

    @Test("Handlers on a serial queue keep their order, whichever threads attach and settle", .rule("2.2"))
    func serialQueue() {
      let queue = DispatchQueue(label: "serial storm")
      for _ in 0..<Effort.of(50, full: 200) {
        let log = Log<[Int]>()
        let deferred = Deferred<Int>()
        let promise = deferred.promise
        let attach: @Sendable (Int) -> Void = { attacher in
          for number in 0..<20 { promise.onFulfilled(on: queue) { _ in log.append([attacher, number]) } }
        }
        race([{ attach(0) }, { attach(1) }, { deferred.fulfill(1) }])
        queue.sync {}
        for attacher in 0..<2 {
          #expect(log.entries.filter { $0[0] == attacher }.map { $0[1] } == Array(0..<20))
        }
      }
    }
  }
}
