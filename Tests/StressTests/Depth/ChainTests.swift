import Dispatch
import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: chains of a million links")
  struct ChainTests {
    /// The operator that makes the links of a chain.
    enum Links: CaseIterable, Sendable {
      case map, always, recover, then, asFollowed, asFollowers

      /// Returns whether the end settles together with the beginning, before any handler has run.
      func isInstant(_ settlement: Result<Int, any Error>) -> Bool {
        switch (self, settlement) {
        case (.asFollowed, _), (.asFollowers, _): true
        case (.recover, .success), (.map, .failure), (.then, .failure): true
        default: false
        }
      }

      /// Returns the end of a chain that begins with the owner's promise.
      func build(_ owner: Deferred<Int>, _ count: Int, on context: any ExecutionContext) -> Promise<Int> {
        switch self {
        case .map: chain(owner, count) { $0.map(on: context) { $0 } }
        case .always: chain(owner, count) { $0.always(on: context) { _ in } }
        case .recover: chain(owner, count) { $0.recover(on: context) { throw $0 } }
        case .then: chain(owner, count) { $0.then(on: context) { .fulfilled($0) } }
        // Each new promise follows the previous promise, so the last promise waits for the whole chain.
        case .asFollowed: chain(owner, count) { promise in Promise { $0.follow(promise) } }
        case .asFollowers: followers(of: owner, count)
        }
      }

      private func chain(_ owner: Deferred<Int>, _ count: Int, _ link: (Promise<Int>) -> Promise<Int>) -> Promise<Int> {
        var promise = owner.promise
        for _ in 0..<count { promise = link(promise) }
        return promise
      }

      /// Builds the chain from its end. Each promise follows a promise that does not follow another yet.
      private func followers(of owner: Deferred<Int>, _ count: Int) -> Promise<Int> {
        let end = Deferred<Int>()
        var last = end
        for _ in 1..<count {
          let next = Deferred<Int>()
          last.follow(next.promise)
          last = next
        }
        last.follow(owner.promise)
        return end.promise
      }
    }

    /// The way in which a chain is settled.
    enum Ending: CaseIterable, Sendable {
      case fulfilled, rejected, ownerDropped

      func apply(to owner: consuming Deferred<Int>) {
        switch self {
        case .fulfilled: owner.fulfill(1)
        case .rejected: owner.reject(TestError(1))
        case .ownerDropped: break
        }
      }

      var result: Result<Int, any Error> { self == .fulfilled ? .success(1) : .failure(TestError(1)) }

      func isOutcome(of promise: Promise<Int>) -> Bool {
        switch (self, promise.state) {
        case (.fulfilled, .fulfilled(1)), (.ownerDropped, .rejected(PromiseError.broken)): true
        case (.rejected, .rejected(let error)): error is TestError
        default: false
        }
      }
    }

    @Test(
      "A long chain is built, settled and then deallocated", .rule("3.3", "6.4"),
      arguments: Links.allCases, Ending.allCases)
    func settled(_ links: Links, _ ending: Ending) async {
      for place in Place.some {
        await place.expect {
          let context = Trampoline()
          let owner = Deferred<Int>()
          let end = links.build(owner, deep, on: context)
          ending.apply(to: consume owner)
          let isSettled = ending.isOutcome(of: end) || !links.isInstant(ending.result)
          context.run()
          return isSettled && ending.isOutcome(of: end)
        }
      }
    }

    @Test(
      "A long pending chain is deallocated without settlement when its end is released", .rule("6.1", "6.4"),
      arguments: Links.allCases)
    func droppedPending(_ links: Links) async {
      for place in Place.some {
        await place.expect {
          weak var probe: Promise<Int>?
          let wasPending: Bool
          do {
            let owner = Deferred<Int>()
            let end = links.build(owner, deep, on: DroppingContext())
            probe = owner.promise
            wasPending = end.isPending
          }
          return wasPending && probe == nil
        }
      }
    }

    @Test(
      "A context that drops its jobs breaks a long chain of handlers one by one", .rule("6.4", "6.2"),
      arguments: [Links.always, .map])
    func dropping(_ links: Links) async {
      for place in Place.some {
        await place.expect {
          let owner = Deferred<Int>()
          let end = links.build(owner, deep, on: DroppingContext())
          owner.fulfill(1)
          return PromiseError.Code(end.error) == .contextDropped
        }
      }
    }

    /// The length of chains whose handlers run on threads of Dispatch or of the pool.
    private static let long = Effort.of(deep / 5, full: deep)

    @Test(
      "A long chain of handlers settles on a serial queue and on the pool", .rule("3.3"),
      arguments: [Links.map, .always, .then])
    func onQueues(_ links: Links) async {
      let contexts: [any ExecutionContext] = [DispatchQueue.forChains, .pool]
      for context in contexts {
        for ending in Ending.allCases {
          let end = {
            let owner = Deferred<Int>()
            let end = links.build(owner, Self.long, on: context)
            ending.apply(to: consume owner)
            return end
          }()
          await withCheckedContinuation { continuation in
            end.onSettled(on: context) { _ in continuation.resume() }
          }
          #expect(ending.isOutcome(of: end))
        }
      }
    }
  }
}
