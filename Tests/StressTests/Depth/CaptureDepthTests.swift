import TestSupport
import Testing

extension Stress {
  @Suite("Depth: owners and bags captured by handlers, and hooks that cancel")
  struct CaptureDepthTests {
    /// The kind of handler that captures the owner of the next promise. The handler settles the owner if it runs.
    enum Tie: CaseIterable, Sendable {
      case onFulfilled, onSettled, map, rescue

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

    @Test(
      "Owners in a very long chain of captures break their promises one after another", .rule("6.2", "6.4"),
      arguments: Tie.allCases, DeepThread.most)
    func owners(_ tie: Tie, _ thread: DeepThread) async {
      await thread.expect {
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
        return wasPending && promise.failure?.code == .broken
      }
    }

    /// The kind of handler that captures the owner of the next bag.
    enum BagTie: CaseIterable, Sendable {
      case map, always, onSettled

      /// Returns a promise that has a handler or an observer which retains the object.
      fileprivate func promise(
        from source: Promise<Int>, holding object: BagOwner?, on context: any ExecutionContext
      ) -> Promise<Int> {
        switch self {
        case .map: source.map(on: context) { value in withExtendedLifetime(object) { value } }
        case .always: source.always(on: context) { _ in withExtendedLifetime(object) {} }
        case .onSettled:
          source.map(on: context) { $0 }.onSettled(on: context) { _ in withExtendedLifetime(object) {} }
        }
      }
    }

    fileprivate final class BagOwner: CancelBagOwner, Sendable {
      let cancelBag = CancelBag()
    }

    @Test(
      "Bags in a long chain of captures cancel the promises bound to them, when the last is released or emptied",
      .rule("4.2", "6.4"), arguments: BagTie.allCases, [false, true])
    func bags(_ tie: BagTie, isEmptied: Bool) async {
      for thread in DeepThread.most {
        await thread.expect {
          let context = Trampoline()
          let source = Deferred<Int>()
          var bound: [Promise<Int>] = []
          var last: BagOwner?
          for _ in 0..<20_000 {
            let owner = BagOwner()
            bound.append(tie.promise(from: source.promise, holding: last, on: context).bound(to: owner))
            last = owner
          }
          if isEmptied { last?.cancelBag.cancelAll() }
          last = nil
          // The handlers of `always` and `onSettled` run even after a cancel, and keep their captures until then.
          if tie != .map { context.run() }
          return bound.allSatisfy(\.isCancelled) && source.promise.isCancelled
        }
      }
    }

    @Test(
      "A settled promise leaves very many bags when its observer has run", .rule("4.6", "6.4"),
      arguments: DeepThread.most)
    func sharedByBags(_ thread: DeepThread) async {
      await thread.expect {
        let context = Trampoline()
        let bags = (0..<100_000).map { _ in CancelBag() }
        let owner = Deferred<Int>()
        for bag in bags { owner.promise.bound(to: bag) }
        owner.promise.onFulfilled(on: context) { _ in }
        owner.fulfill(1)
        let areFull = bags.allSatisfy { $0.debugDescription.hasPrefix("CancelBag, 1 ") }
        context.run()
        return areFull && bags.allSatisfy { $0.debugDescription == "CancelBag, 0 pending" }
      }
    }

    /// The way in which a hook cancels the next promise.
    enum HookWay: CaseIterable, Sendable {
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
      arguments: HookWay.allCases, DeepThread.most)
    func hooks(_ way: HookWay, _ thread: DeepThread) async {
      await thread.expect {
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
