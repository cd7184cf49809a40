import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: owners captured by handlers")
  struct CapturedOwnerTests {
    /// The kind of handler that captures the owner of the next promise.
    enum Tie: CaseIterable, Sendable { case onFulfilled, onSettled, map, rescue }

    @Test(
      "Owners in a very long chain of captures break their promises one after another", .rule("6.2", "6.4"),
      arguments: Tie.allCases, Place.most)
    func many(_ tie: Tie, _ place: Place) async {
      await place.expect {
        var owner = Deferred<Int>()
        let promise = owner.promise
        for _ in 0..<deep {
          let next = Deferred<Int>()
          tie.attach(owner, to: next.promise, on: DroppingContext())
          owner = next
        }
        let wasPending = promise.isPending
        // This releases the last owner.
        owner = Deferred()
        return wasPending && PromiseError.Code(promise.error) == .broken
      }
    }
  }
}

extension Stress.CapturedOwnerTests.Tie {
  /// Attaches a handler that settles the owner if it runs, and otherwise only releases the owner.
  fileprivate func attach(_ owner: Deferred<Int>, to promise: Promise<Int>, on context: any ExecutionContext) {
    switch self {
    case .onFulfilled: promise.onFulfilled(on: context) { owner.fulfill($0) }
    case .onSettled: promise.onSettled(on: context) { owner.settle($0) }
    case .map: _ = promise.map(on: context) { owner.fulfill($0) }
    case .rescue:
      _ = promise.rescue(on: context) { error in
        owner.reject(error)
        throw error
      }
    }
  }
}
