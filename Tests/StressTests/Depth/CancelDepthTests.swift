import Dispatch
import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: cancellation")
  struct CancelDepthTests {
    /// The length of a chain. All ways of cancelling take their time, so quick runs use a fifth of the depth. Recursion
    /// would still overflow the small stack, and nonlinear time would still show.
    private static let long = Effort.of(deep / 5, full: deep)

    /// The way in which a chain is cancelled as a whole.
    enum Way: CaseIterable, Sendable {
      case fromTop, givenUpFromBottom, fromTopWhenSettled, fromBottomOnly

      /// Cancels the chain. Returns whether both ends then have the expected states.
      func apply(to owner: Deferred<Int>, _ end: Promise<Int>) -> Bool {
        switch self {
        case .fromTop: owner.promise.cancel()
        case .givenUpFromBottom: end.cancel(upstream: true)
        case .fromTopWhenSettled:
          owner.fulfill(1)
          owner.promise.cancel()
        case .fromBottomOnly: end.cancel()
        }
        guard end.isCancelled else { return false }
        return switch self {
        case .fromTop, .givenUpFromBottom: owner.promise.isCancelled
        case .fromTopWhenSettled: owner.promise.isFulfilled
        case .fromBottomOnly: owner.promise.isPending
        }
      }
    }

    @Test(
      "A long chain is cancelled from its top or given up from its end, and is then deallocated",
      .rule("4.2", "4.4", "6.4"),
      arguments: [ChainTests.Links.map, .always, .recover, .then], Way.allCases)
    func chains(_ links: ChainTests.Links, _ way: Way) async {
      // A value passes through error links at once, so no pending link is left to cancel.
      if links == .recover && way == .fromTopWhenSettled { return }
      for place in Place.some {
        await place.expect {
          let context = Trampoline()
          weak var probe: Promise<Int>?
          let isRight: Bool
          do {
            let owner = Deferred<Int>()
            probe = owner.promise
            let end = links.build(owner, Self.long, on: context)
            let isCancelled = way.apply(to: owner, end)
            context.run()
            isRight = isCancelled && end.isCancelled
          }
          // The owner is deallocated. The remaining jobs run and release their captures.
          context.run()
          return isRight && probe == nil
        }
      }
    }

    @Test(
      "A long chain of promises that follow each other is cancelled in both directions", .rule("4.2", "4.4", "4.6"),
      arguments: [ChainTests.Links.asFollowed, .asFollowers], [Way.fromTop, .givenUpFromBottom])
    func followers(_ links: ChainTests.Links, _ way: Way) async {
      for place in Place.some {
        await place.expect {
          let owner = Deferred<Int>()
          let hooks = Locked(0)
          owner.onCancel { _ in hooks.withLock { $0 += 1 } }
          let end = links.build(owner, Self.long, on: DroppingContext())
          return way.apply(to: owner, end) && hooks.withLock { $0 } == 1
        }
      }
    }

    @Test(
      "A cancel during another cancel of a long line of held promises cancels every promise", .rule("4.3", "6.4"),
      arguments: [true, false], Place.some)
    func meeting(recovers: Bool, _ place: Place) async {
      await place.expect {
        let context = Trampoline()
        let (source, inner) = (Promise.fulfilled(0), Deferred<Int>())
        var line = [source.then(on: context) { _ in inner.promise }]
        context.run()
        // The cancel of `inner` fires this observer first.
        _ = inner.promise.attachObserver(on: nil, handling: .error) { _, _ in
          source.cancel()
          return .nothing
        }
        for index in 0..<Self.long {
          line.append(recovers ? line[index].recover(on: context) { _ in 0 } : line[index].map(on: context) { $0 })
        }
        inner.promise.cancel()
        context.run()
        defer { while line.popLast() != nil {} }
        return line.allSatisfy { $0.isCancelled }
      }
    }

    @Test(
      "A promise with 100,000 links cancels all of them and releases their captures", .rule("4.2", "4.9"),
      arguments: Place.most)
    func wide(_ place: Place) async {
      let census = Tracked.Census()
      await place.expect {
        let context = Trampoline()
        let owner = Deferred<Int>()
        let links = (0..<100_000).map { _ in
          owner.promise.map(on: context) { [tracked = Tracked(census)] value in withExtendedLifetime(tracked) { value }
          }
        }
        owner.promise.cancel()
        return links.allSatisfy { $0.isCancelled } && census.living == 0
      }
    }

    @Test(
      "The last of thousands of links that give up one by one cancels their promise",
      .rule("4.0", "4.4"), arguments: Effort.of([10_000, 30_000], full: [10_000, 100_000]), [true, false])
    func wideOneByOne(count: Int, isReversed: Bool) async {
      await Place.worker.expect {
        let context = Trampoline()
        let owner = Deferred<Int>()
        var links = (0..<count).map { _ in owner.promise.map(on: context) { $0 } }
        if isReversed { links.reverse() }
        for link in links.dropLast() { link.cancel(upstream: true) }
        let wasPending = owner.promise.isPending
        links[links.count - 1].cancel(upstream: true)
        return wasPending && owner.promise.isCancelled
      }
    }
  }
}
