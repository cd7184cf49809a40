import PromiseCombinators
import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations of cancellation. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of cancellation") struct CancellationMemoryTests {
    private let context = HeldJobs()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("Cancelling allocates the box of the error, and for a pending promise a list", .rule("4.1"))
    func cancel() {
      // The blocks are the error's box (32) and the list of promises that the cancellation has settled (104), which
      // becomes the queue that fires them. Each element is a `Settled`, see `LinkMemoryTests`.
      expectAllocations([32, 104], of: Deferred<Int>()) { $0.promise.cancel() }
      let reason = CancellationError() as any Error
      // The list is the same. The error already has a box.
      expectAllocations([104], of: Deferred<Int>()) { $0.promise.cancel(reason: reason) }
      // The cancellation settles no promise, so it needs no list.
      expectAllocations([32], of: Promise.fulfilled(1)) { $0.cancel() }
    }

    @Test("Each further promise of a chain adds no allocation to its cancellation", .rule("4.2"))
    func cancelChain() {
      // Creating a link takes 166. Cancelling it takes no block, because the lists of the cancellation grow only now
      // and then.
      Growth.expect(perStep: [166]) { count in
        let deferred = Deferred<Int>()
        var last = deferred.promise
        for _ in 0..<count { last = last.map(on: context) { $0 &+ 1 } }
        deferred.promise.cancel()
        return last
      }
    }

    @Test("Giving up a derived promise has the committed allocations", .rule("4.4"))
    func giveUp() {
      let growth = Growth.counted(of: owned { $0.map(on: context) { $0 &+ 1 } }) { $1.cancel(upstream: true) }
      // The blocks are the error's box (32), the list of settled promises (104), which gets room for eight (608), the
      // list of departures (64: header 32, promise 8, entry 8, flags 8, waiting promise 8), the list of those that a
      // departure has settled (56: header 32, place 8, waiting promise 8, flag 8), and the list of entries
      // whose contents are released when everything is settled (152: header 32, `EndedEntry` 120).
      #expect(growth.perStep.total == Blocks(6, bytes: 1016))
    }

    @Test("Cancelled adopters leave at most 16 blocks in the promise that they had adopted", .rule("4.9", "6.3"))
    func cancelAdopters() {
      let staying = promise.map(on: context) { $0 }
      func adoptAndCancel() {
        let adopter = Promise.fulfilled(1).then(on: context) { [promise] _ in promise }
        context.run()
        adopter.cancel()
      }
      adoptAndCancel()
      // A cancelled entry leaves the list, whatever its position.
      #expect(Allocations.kept { for _ in 0..<1_000 { adoptAndCancel() } } <= 16)
      #expect(staying.isPending)
    }

    @Test("shielded allocates one block, and an owner with cancelsWithoutClients those of any owner", .rule("4.10"))
    func shielded() {
      expectAllocations([166]) { promise.shielded() }
      // The list is the same as for any owner.
      expectAllocations([24, 72]) { Deferred<Int>(cancelsWithoutClients: true) }
    }

    @Test("An owner's hooks and a cancel that runs one have the committed allocations", .rule("4.5"))
    func onCancel() {
      // The blocks are the side table (160) and the list of hooks (88: header 32, hook 56).
      expectAllocations([88, 160], of: Deferred<Int>()) { $0.onCancel { _ in } }
      // The list grows only now and then.
      Growth.expect(perStep: []) { count in
        let deferred = Deferred<Int>()
        for _ in 0..<count { deferred.onCancel { _ in } }
        return deferred
      }
      // The blocks 32 and 104 are the same as without a hook. The hook adds the list of due hooks (104: header 32, hook
      // 56, promise 8, finish 8), the list of such lists in the queue (72: header 32, `DueHooks` 40), the closure that
      // runs the hook (88: header 16, hook 56, promise 8, finish 8), the `UnnestedWork` in which the hooks of nested
      // cancellations wait (73), and three lists of one closure (48: header 32, closure 16), two of which belong to the
      // `UnnestedWork`. Because the promise has not finished before the hook has run, there is a `Finish` (112), too.
      expectAllocations(blocks: 10, bytes: 665, of: hooked()) { $0.promise.cancel() }
    }

    @Test("A pending promise keeps nothing of work that has ended", .rule("2.11", "4.9"))
    func endedWork() {
      let owner = Deferred<Int>()
      let kept = Allocations.kept {
        for _ in 0..<1_000 {
          let other = Deferred<Void>()
          owner.promise.staysUnfinished(until: other.promise)
          other.fulfill()
        }
      }
      // The blocks are the side table, the finish, its notes and the records for weak references in the notes that are
      // not removed yet.
      #expect(kept < 20)
      owner.fulfill(1)
    }

    private func hooked() -> Deferred<Int> {
      let deferred = Deferred<Int>()
      deferred.onCancel { _ in }
      return deferred
    }

    @Test("Releasing the last client of an owner with cancelsWithoutClients has the committed allocations")
    func lastClient() {
      let growth = Growth.counted(of: Deferred<Int>(cancelsWithoutClients: true)) { _ = $0.promise }
      // The blocks are the client promise (72), its record for weak references (32) and the side table (160). When the
      // client promise is released, an `UnnestedWork` (73) cancels the owner's promise. It needs a list of one closure
      // (48) and an adapter of the closure (32). The cancellation needs the error's box (32), the list of departures
      // (72), the list of those that a departure has settled (56) and the list of settled promises (104).
      #expect(growth.perStep.total == Blocks(10, bytes: 673))
    }

    @Test("A CancelBag keeps nothing of a cancelled promise that has finished", .rule("2.11", "4.9"))
    func finishedInBag() {
      let bag = CancelBag()
      let cleanups = (0..<1_000).map { _ in Deferred<Void>() }
      let kept = Allocations.kept {
        let owners = cleanups.map { _ in Deferred<Int>() }
        for (owner, cleanup) in zip(owners, cleanups) {
          owner.onCancelThen { _ in cleanup.promise }
          owner.promise.bound(to: bag)
        }
        bag.cancelAll()
        for cleanup in cleanups { cleanup.fulfill() }
      }
      // The bag retains the capacity of its dictionaries.
      #expect(kept < 10)
      #expect(bag.whenFinished().isFulfilled)
    }

    @Test("The memory of a settled promise grows with the sum of its bags and its observers", .rule("4.9", "6.4"))
    func manyBags() {
      let bags = (0..<100).map { _ in CancelBag() }
      let owner = Deferred<Int>()
      for bag in bags { owner.promise.bound(to: bag) }
      for _ in 0..<100 { owner.promise.onFulfilled(on: context) { _ in } }
      // For each observer the job and a body, for all of them a list.
      #expect(Allocations.kept { owner.fulfill(1) } < 400)
      #expect(bags.allSatisfy { $0.debugDescription.hasPrefix("CancelBag, 1 ") })
      context.run()
      #expect(bags.allSatisfy { $0.debugDescription == "CancelBag, 0 pending" })
    }

    @Test("A cancelled wait for the finish of a pending promise leaves nothing behind", .rule("4.9"))
    func cancelledWait() {
      let owner = Deferred<Int>()
      let promise = owner.promise
      let consumer = promise.map { $0 }
      let kept = Allocations.kept { for _ in 0..<1_000 { promise.whenFinished().cancel() } }
      #expect(kept < 10)
      // The wait was no consumer.
      #expect(promise.isPending)
      consumer.cancel(upstream: true)
      #expect(promise.isCancelled)
    }

    @Test("Cancelled waits for the finish of a settled promise, or of a bag, leave only a few blocks", .rule("4.9"))
    func cancelledWaits() {
      let cleanup = Deferred<Void>()
      let bag = CancelBag()
      let settled = Deferred<Int>()
      let pending = Deferred<Int>()
      settled.onCancelThen { _ in cleanup.promise }
      settled.promise.bound(to: bag)
      pending.promise.bound(to: bag)
      settled.promise.cancel()
      let wait = bag.whenFinished()
      let kept = Allocations.kept {
        for _ in 0..<1_000 {
          settled.promise.whenFinished().cancel()
          bag.whenFinished().cancel()
        }
      }
      // The last few are released when others come.
      #expect(kept < 200)
      cleanup.fulfill()
      #expect(wait.isPending)
      pending.fulfill(1)
      #expect(wait.isFulfilled)
    }

    @Test("Links of a settled promise whose work goes on leave only a few blocks", .rule("2.11", "4.9"))
    func linksOfUnfinished() {
      let end = Deferred<Void>()
      let connection = Deferred<Int>()
      connection.onEndThen { _ in end.promise }
      connection.fulfill(1)
      #expect(!connection.promise.isFinished)
      var last: Promise<Int>?
      let kept = Allocations.kept {
        for _ in 0..<1_000 {
          last = connection.promise.then(on: context) { .fulfilled($0) }.map(on: context) { $0 + 1 }
          _ = last?.map(on: context) { $0 + 1 }
          // Each has two finishes that wait for that of the connection, one of them for the other.
          _ = connection.promise.then(on: context) { [promise = connection.promise, context] _ in
            promise.map(on: context) { $0 + 1 }
          }
          _ = Promise.all([connection.promise.map(on: context) { $0 + 1 }, connection.promise])
          context.run()
        }
      }
      #expect(kept < 200)
      #expect(last?.state.value == 2)
      #expect(last?.isFinished == false)
      end.fulfill()
      #expect(last?.isFinished == true)
    }

    @Test("A CancelBag and each bound promise have the committed allocations, and cancelAll adds none", .rule("4.9"))
    func settledInBag() {
      let bag = CancelBag()
      let kept = Allocations.kept {
        let owners = (0..<1_000).map { _ in Deferred<Int>() }
        for owner in owners { owner.promise.bound(to: bag) }
        for owner in owners { owner.fulfill(1) }
      }
      // The bag retains the capacity of its dictionary.
      #expect(kept < 10)
      // The blocks are the bag (24) and its list of promises (49: header 16, two dictionaries 8 each, reason of the
      // closing 8, number 8, lock 1).
      expectAllocations([24, 49]) { CancelBag() }
      // The blocks are the owner (24), its promise (72), the binding (24: header 16, bag's list 8), the record for a
      // weak reference to the promise (32) and the observer (166). The dictionary grows only now and then.
      // The cancellation needs a few lists for all promises together, and no block for each of them.
      for cancels in [false, true] {
        Growth.expect(blocksPerStep: 5, bytes: 318) { count in
          let bag = CancelBag()
          let promises = (0..<count).map { _ in Deferred<Int>() }
          for deferred in promises { deferred.promise.bound(to: bag) }
          if cancels { bag.cancelAll() }
          return (bag, promises)
        }
      }
    }
  }
}
