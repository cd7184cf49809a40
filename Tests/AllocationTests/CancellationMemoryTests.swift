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
      // The error's box, and the list of what is to be cancelled.
      #expect(allocations.requested == [32, 40])
    }

    @Test("rule 4.1: cancel with a reason")
    func cancelReason() {
      let reason = CancellationError() as any Error
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.promise.cancel(reason: reason) }
      // The error is there.
      #expect(allocations.requested == [40])
    }

    @Test("rule 4.1: cancel a settled promise")
    func cancelSettled() {
      let (_, allocations) = Allocations.counted(of: Promise.fulfilled(1)) { $0.cancel() }
      // The same, and what was settled already, below which is looked for more.
      #expect(allocations.requested == [32, 40, 40])
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
      // To make it 72 and 88. To cancel it: the bodies of its link 96, and what was found 40.
      #expect(growth.perStep == [40, 72, 88, 96])
    }

    @Test("rule 4.6: abandon a derived promise")
    func abandon() {
      let growth = Growth.counted(of: owned { $0.map(on: shelf) { $0 &+ 1 } }) { $1.abandon() }
      // The error's box 32, and the list of what is to be cancelled 40. The bodies of the link 96. What was found 40 and
      // 40, and what was settled, with its links, 64.
      #expect(growth.perStep == [32, 40, 40, 40, 64, 96])
    }

    @Test("rule 4.10: shielded")
    func shielded() {
      let (_, allocations) = Allocations.counted { promise.shielded() }
      // Promise, link. The copier is inlined and captures nothing.
      #expect(allocations.requested == [72, 88])
    }

    @Test("row C8: the first hook of an owner, and one more")
    func onCancel() {
      let (_, first) = Allocations.counted(of: Deferred<Int>()) { $0.onCancel { _ in } }
      // The side table 177, the list of hooks 56 (header 32, number 8, hook 16), and what adapts the hook to be stored
      // there 32.
      #expect(first.requested == [32, 56, 177])
      let growth = Growth.counted { count in
        let deferred = Deferred<Int>()
        for _ in 0..<count { deferred.onCancel { _ in } }
        return deferred
      }
      // What adapts the hook; the list grows now and then.
      #expect(growth.perStep == [32])
    }

    private func hooked() -> Deferred<Int> {
      let deferred = Deferred<Int>()
      deferred.onCancel { _ in }
      return deferred
    }

    @Test("rule 4.5: cancel runs a hook")
    func cancelHooked() {
      let (_, allocations) = Allocations.counted(of: hooked()) { $0.promise.cancel() }
      // The error's box 32, the list of what is to be cancelled 40, those that have hooks 40, and the hooks, taken out
      // 48.
      #expect(allocations.requested == [32, 40, 40, 48])
    }

    @Test("row B12: an owner that sees its clients go")
    func unobserved() {
      let (_, allocations) = Allocations.counted { Deferred<Int>(cancelWhenUnobserved: true) }
      // The owner 24, its promise 72, and the one that clients get 72, with a side table each, 177; the `WeakLink`
      // between them 96, its record for weak references 32, and the copier 24.
      #expect(allocations.requested == [24, 24, 32, 72, 72, 96, 177, 177])
    }

    @Test("row B12: the last client goes")
    func lastClient() {
      let growth = Growth.counted(of: Deferred<Int>(cancelWhenUnobserved: true)) { _ = $0.promise }
      // `LostPromises` cancels the owner's promise: the error's box 32, its queue 34 and 64 of what is lost; the list
      // of what is to be cancelled 40, what was found 40, and what was settled 64.
      #expect(growth.perStep == [32, 34, 40, 40, 64, 64])
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
      // to the promise 32, the observer 88. The dictionary grows now and then.
      #expect(growth.perStep == [24, 24, 32, 72, 88])
      let cancelling = Growth.counted { count in
        let (bag, promises) = (CancelBag(), (0..<count).map { _ in Deferred<Int>() })
        for deferred in promises { deferred.promise.bound(to: bag) }
        bag.cancelAll()
        return promises
      }
      // To cancel them takes lists for all together, and nothing for each.
      #expect(cancelling.perStep == [24, 24, 32, 72, 88])
    }
  }
}
