import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: hooks that cancel")
  struct HookDepthTests {
    /// The way in which a hook cancels the next promise.
    enum Way: CaseIterable, Sendable {
      case byCancel, byBag, byTurns

      func tie(_ owner: Deferred<Int>, to promise: Promise<Int>, index: Int) {
        if self == .byCancel {
          owner.onCancel { _ in promise.cancel() }
        } else if self == .byTurns && index % 2 == 0 {
          // Without a context, the hook of a promise that a bag cancels runs on the pool.
          owner.onCancel(on: .atOnce) { _ in promise.cancel() }
        } else {
          let bag = Locked<CancelBag?>(CancelBag())
          bag.withLock { bag in bag.map { _ = promise.bound(to: $0) } }
          owner.onCancel(on: .atOnce) { _ in
            // The bag is deallocated here, outside the lock.
            let bag = bag.withLock { $0.take() }
            withExtendedLifetime(bag) {}
          }
        }
      }
    }

    @Test(
      "A hook can cancel the next promise, whose hook cancels a further promise, to any depth", .rule("4.5", "6.4"),
      arguments: Way.allCases, Place.most)
    func chain(_ way: Way, _ place: Place) async {
      await place.expect {
        let owners = (0..<deep).map { _ in Deferred<Int>() }
        for index in owners.indices.dropLast() {
          way.tie(owners[index], to: owners[index + 1].promise, index: index)
        }
        owners[0].promise.cancel()
        return owners.allSatisfy { $0.promise.isCancelled }
      }
    }
  }
}
