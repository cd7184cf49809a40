import PromiseCore
import Testing

extension MemoryTests {
  /// What cancellation takes. Lists as in `LinkMemoryTests`.
  @Suite("cancellation")
  struct CancellationMemoryTests {
    private let shelf = Shelf()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("rule 4.1: cancel a pending promise")
    func cancel() {
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.promise.cancel() }
      // The error's box. A list of one takes no block.
      #expect(allocations.requested == [32])
    }

    @Test("rule 4.1: cancel with a reason")
    func cancelReason() {
      let reason = CancellationError() as any Error
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.promise.cancel(reason: reason) }
      // The error is there.
      #expect(allocations.requested == [])
    }

    @Test("rule 4.1: cancel a settled promise")
    func cancelSettled() {
      let (_, allocations) = Allocations.counted(of: Promise.fulfilled(1)) { $0.cancel() }
      // The same. Below it is looked for more, but there is nothing.
      #expect(allocations.requested == [32])
    }

    @Test("rule 4.2: cancel, one more promise of a chain")
    func cancelChain() {
      let growth = Growth.counted { count in
        let deferred = Deferred<Int>()
        var last = deferred.promise
        for _ in 0..<count { last = last.map(on: shelf) { $0 &+ 1 } }
        deferred.promise.cancel()
        return last
      }
      // To make it 72 and 97. To cancel it takes nothing more.
      #expect(growth.perStep == [66, 72, 97])
    }

    @Test("rule 4.4: give up a derived promise")
    func giveUp() {
      let growth = Growth.counted(of: owned { $0.map(on: shelf) { $0 &+ 1 } }) { $1.cancel(upstream: true) }
      // The error's box 32.
      #expect(growth.perStep == [32])
    }

    @Test("rules 4.9 6.3: adopters that were cancelled leave at most 16 entries in what they had adopted")
    func cancelAdopters() {
      let staying = promise.map(on: shelf) { $0 }
      func adoptAndCancel() {
        let adopter = Promise.fulfilled(1).then(on: shelf) { [promise] _ in promise }
        shelf.run()
        adopter.cancel()
      }
      adoptAndCancel()
      // The links, and nothing else.
      #expect(Allocations.kept { for _ in 0..<1_000 { adoptAndCancel() } } <= 16)
      #expect(staying.isPending)
    }

    @Test("rule 4.10: shielded")
    func shielded() {
      let (_, allocations) = Allocations.counted { promise.shielded() }
      // Promise, link. The copier is inlined and captures nothing.
      #expect(allocations.requested == [72, 97])
    }

    @Test("row C8: the first hook of an owner, and one more")
    func onCancel() {
      let (_, first) = Allocations.counted(of: Deferred<Int>()) { $0.onCancel { _ in } }
      // The side table 161, and the list of hooks 96: header 32, number 8, hook 56.
      #expect(first.requested == [96, 161])
      let growth = Growth.counted { count in
        let deferred = Deferred<Int>()
        for _ in 0..<count { deferred.onCancel { _ in } }
        return deferred
      }
      // The list grows now and then.
      #expect(growth.perStep == [])
    }

    private func hooked() -> Deferred<Int> {
      let deferred = Deferred<Int>()
      deferred.onCancel { _ in }
      return deferred
    }

    @Test("rule 4.5: cancel runs a hook")
    func cancelHooked() {
      let (_, allocations) = Allocations.counted(of: hooked()) { $0.promise.cancel() }
      // The error's box; the run of hooks and its list, by which the hooks of nested cancellations wait.
      #expect(allocations.requested == [32, 50, 96, 96])
    }

    @Test("row B12: an owner that sees its clients go")
    func unobserved() {
      let (_, allocations) = Allocations.counted { Deferred<Int>(cancelWhenUnobserved: true) }
      // As any owner: 24, and its promise 72.
      #expect(allocations.requested == [24, 72])
    }

    @Test("row B12: the last client goes")
    func lastClient() {
      let growth = Growth.counted(of: Deferred<Int>(cancelWhenUnobserved: true)) { _ = $0.promise }
      // The client promise 72, its record for weak references 32, and the side table 161. When the client promise is released,
      // `DeferredSettlements` 34 cancels the owner's promise: the error's box 32.
      #expect(growth.perStep == [32, 32, 50, 72, 161])
    }

    @Test("rule 4.9: a bag keeps nothing of a promise that is settled")
    func settledInBag() {
      let bag = CancelBag()
      let kept = Allocations.kept {
        let owners = (0..<1_000).map { _ in Deferred<Int>() }
        for owner in owners { owner.promise.bound(to: bag) }
        for owner in owners { owner.fulfill(1) }
      }
      // The room that its dictionary has kept.
      #expect(kept < 10)
    }

    @Test("row F7: a bag, and one more promise that is bound to it")
    func bag() {
      let (_, empty) = Allocations.counted { CancelBag() }
      // The bag, and what it keeps of promises: header 16, dictionary 8, lock 1.
      #expect(empty.requested == [24, 25])
      let growth = Growth.counted { count in
        let (bag, promises) = (CancelBag(), (0..<count).map { _ in Deferred<Int>() })
        for deferred in promises { deferred.promise.bound(to: bag) }
        return (bag, promises)
      }
      // The owner and its promise 24 and 72; the binding 24 (header 16, bag's list 8), the record for a weak reference
      // to the promise 32, the observer 97. The dictionary grows now and then.
      #expect(growth.perStep == [24, 24, 32, 72, 97])
      let cancelling = Growth.counted { count in
        let (bag, promises) = (CancelBag(), (0..<count).map { _ in Deferred<Int>() })
        for deferred in promises { deferred.promise.bound(to: bag) }
        bag.cancelAll()
        return promises
      }
      // To cancel them takes lists for all together, and nothing for each.
      #expect(cancelling.perStep == [24, 24, 32, 72, 97])
    }
  }
}
