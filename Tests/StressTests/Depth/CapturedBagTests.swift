import PromiseContexts
import TestSupport
import Testing

extension Stress {
  @Suite("Depth: bags captured by handlers")
  struct CapturedBagTests {
    /// The kind of handler that captures the owner of the next bag.
    enum Tie: CaseIterable, Sendable { case map, always, onSettled }

    /// Whether the last bag is released, or emptied by `cancelAll()`.
    enum Way: CaseIterable, Sendable { case goes, isToldTo }

    private final class Owner: CancelBagOwner, Sendable {
      let cancelBag = CancelBag()
    }

    private static let count = 20_000

    @Test(
      "Bags in a long chain of captures cancel the promises bound to them one after another", .rule("4.2", "6.4"),
      arguments: Tie.allCases, Way.allCases)
    func chain(_ tie: Tie, _ way: Way) async {
      for place in Place.most { await place.expect { Self.isRight(tie, way) } }
    }

    /// Releases or empties the last bag. Returns whether the call cancels all bound promises, and the source with its
    /// last consumer.
    private static func isRight(_ tie: Tie, _ way: Way) -> Bool {
      let context = Trampoline()
      let source = Deferred<Int>()
      var bound: [Promise<Int>] = []
      var next: Owner?
      for _ in 0..<count {
        let owner = Owner()
        let promise = tie.promise(from: source.promise, holding: next, on: context)
        bound.append(promise.bound(to: owner))
        next = owner
      }
      if way == .isToldTo { next?.cancelBag.cancelAll() }
      next = nil
      // The handlers of `always` and `onSettled` run even after a cancel, and keep their captures until then.
      if tie != .map { context.run() }
      return bound.allSatisfy(\.isCancelled) && source.promise.isCancelled
    }
  }
}

extension Stress.CapturedBagTests.Tie {
  /// Returns a promise that has a handler or an observer which retains the object.
  fileprivate func promise(
    from source: Promise<Int>, holding object: (any Sendable & AnyObject)?, on context: any ExecutionContext
  ) -> Promise<Int> {
    switch self {
    case .map: return source.map(on: context) { value in withExtendedLifetime(object) { value } }
    case .always: return source.always(on: context) { _ in withExtendedLifetime(object) {} }
    case .onSettled:
      return source.map(on: context) { $0 }.onSettled(on: context) { _ in withExtendedLifetime(object) {} }
    }
  }
}
