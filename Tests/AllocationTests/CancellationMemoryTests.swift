import PromiseCore
import TestSupport
import Testing

extension MemoryTests {
  /// What cancellation takes. Lists as in `LinkMemoryTests`.
  @Suite("Allocations of cancellation")
  struct CancellationMemoryTests {
    private let shelf = Shelf()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("Cancelling a pending promise has the committed allocations", .rule("4.1"))
    func cancel() {
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.promise.cancel() }
      // The error's box 32. A list 96 of what the cancellation has settled, and another 96 in the queue that fires it.
      // (An element of such a list is a `Settled`, see `LinkMemoryTests`.)
      #expect(allocations.requested == [32, 96, 96])
    }

    @Test("Cancelling with a reason allocates no box for an error", .rule("4.1"))
    func cancelReason() {
      let reason = CancellationError() as any Error
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.promise.cancel(reason: reason) }
      // The same lists. The error has a box already.
      #expect(allocations.requested == [96, 96])
    }

    @Test("Cancelling a settled promise allocates only the box of the error", .rule("4.1"))
    func cancelSettled() {
      let (_, allocations) = Allocations.counted(of: Promise.fulfilled(1)) { $0.cancel() }
      // The error's box. Nothing is settled, so there is no list.
      #expect(allocations.requested == [32])
    }

    @Test("Each further promise of a chain adds no allocation to its cancellation", .rule("4.2"))
    func cancelChain() {
      let growth = Growth.counted { count in
        let deferred = Deferred<Int>()
        var last = deferred.promise
        for _ in 0..<count { last = last.map(on: shelf) { $0 &+ 1 } }
        deferred.promise.cancel()
        return last
      }
      // To make it 164. To cancel it takes no block of its own, because the lists of the cancellation grow now and
      // then.
      #expect(growth.perStep == [164])
    }

    @Test("Giving up a derived promise has the committed allocations", .rule("4.4"))
    func giveUp() {
      let growth = Growth.counted(of: owned { $0.map(on: shelf) { $0 &+ 1 } }) { $1.cancel(upstream: true) }
      // The error's box 32. The list of what is settled 96, which grows to two 160. The list of departures 64 (header
      // 32, promise 8, entry 8, keeper 8, flag 1), which is made twice. What is released at the end 120: header 32, two
      // bodies 64, context 16, source 8.
      #expect(growth.perStep == [32, 64, 64, 96, 120, 160])
    }

    @Test("Cancelled adopters leave at most 16 blocks in the promise that they had adopted", .rule("4.9", "6.3"))
    func cancelAdopters() {
      let staying = promise.map(on: shelf) { $0 }
      func adoptAndCancel() {
        let adopter = Promise.fulfilled(1).then(on: shelf) { [promise] _ in promise }
        shelf.run()
        adopter.cancel()
      }
      adoptAndCancel()
      // An entry that is cancelled leaves the list, whatever its position.
      #expect(Allocations.kept { for _ in 0..<1_000 { adoptAndCancel() } } <= 16)
      #expect(staying.isPending)
    }

    @Test("shielded allocates one block for its link", .rule("4.10"))
    func shielded() {
      let (_, allocations) = Allocations.counted { promise.shielded() }
      // The link.
      #expect(allocations.requested == [164])
    }

    @Test(
      "An owner's first hook allocates the side table and the list of hooks, and a further hook no block of its own")
    func onCancel() {
      let (_, first) = Allocations.counted(of: Deferred<Int>()) { $0.onCancel { _ in } }
      // The side table 152, and the list of hooks 88: header 32, hook 56.
      #expect(first.requested == [88, 152])
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

    @Test("A cancel that runs a hook has the committed allocations", .rule("4.5"))
    func cancelHooked() {
      let (_, allocations) = Allocations.counted(of: hooked()) { $0.promise.cancel() }
      // As without a hook: 32, 96, 96. The list of due hooks 96 (header 32, hook 56, promise 8), and the list of such
      // lists in the queue 72: header 32, `DueHooks` 40. The closure that runs the hook 80: header 16, hook 56, promise
      // 8. The `UnnestedWork` 73, in which the hooks of nested cancellations wait. Lists of one closure 48 (header 32,
      // closure 16): the one that is made here, and two in the `UnnestedWork`.
      #expect(allocations.requested == [32, 48, 48, 48, 72, 73, 80, 96, 96, 96])
    }

    @Test("An owner with cancelWhenUnobserved allocates no more than any other owner")
    func unobserved() {
      let (_, allocations) = Allocations.counted { Deferred<Int>(cancelWhenUnobserved: true) }
      // As any owner: 24, and its promise 72.
      #expect(allocations.requested == [24, 72])
    }

    @Test("Releasing the last client of an owner with cancelWhenUnobserved has the committed allocations")
    func lastClient() {
      let growth = Growth.counted(of: Deferred<Int>(cancelWhenUnobserved: true)) { _ = $0.promise }
      // The client promise 72, its record for weak references 32, and the side table 152. When the client promise is
      // released, an `UnnestedWork` 73 cancels the owner's promise: a list of one closure 48, and what adapts the
      // closure 32. The cancellation: the error's box 32, the list of departures 64, which is made twice, and the list
      // of what is settled 96.
      #expect(growth.perStep == [32, 32, 32, 48, 64, 64, 72, 73, 96, 152])
    }

    @Test("A CancelBag keeps nothing of a settled promise", .rule("4.9"))
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

    @Test(
      "A CancelBag and each promise bound to it have the committed allocations, and cancelAll adds none per promise")
    func bag() {
      let (_, empty) = Allocations.counted { CancelBag() }
      // The bag 24, and what it keeps of promises 33: header 16, dictionary 8, number 8, lock 1.
      #expect(empty.requested == [24, 33])
      let growth = Growth.counted { count in
        let (bag, promises) = (CancelBag(), (0..<count).map { _ in Deferred<Int>() })
        for deferred in promises { deferred.promise.bound(to: bag) }
        return (bag, promises)
      }
      // The owner and its promise 24 and 72; the binding 24 (header 16, bag's list 8), the record for a weak reference
      // to the promise 32, the observer 164. The dictionary grows now and then.
      #expect(growth.perStep == [24, 24, 32, 72, 164])
      let cancelling = Growth.counted { count in
        let (bag, promises) = (CancelBag(), (0..<count).map { _ in Deferred<Int>() })
        for deferred in promises { deferred.promise.bound(to: bag) }
        bag.cancelAll()
        return promises
      }
      // To cancel them takes lists for all together, and nothing for each.
      #expect(cancelling.perStep == [24, 24, 32, 72, 164])
    }
  }
}
