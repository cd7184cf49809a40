import PromiseCombinators
import Testing

extension MemoryTests {
  /// Tests the allocations of lazy promises. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of lazy promises") struct LazyMemoryTests {
    private let context = HeldJobs()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("Lazy promises and links that have not started have the committed allocations")
    func makers() {
      // The blocks are the slot (32), the lazy promise (32: header 16, lazy start 8, site 8), the lazy start (57:
      // header 16, lock 8, upstream 8, closure 16, slot 8, flag 1), the closure that fills the slot (40: header 16,
      // closure 16, type 8) and the closure that starts the promise (64: header 16, context 16, body 16, site 8, type
      // 8).
      expectAllocations(blocks: 5, bytes: 225) { [promise] in LazyPromise.adopting(on: context) { promise } }
      // The closure that starts the promise is larger (88), because it keeps the file and the line.
      expectAllocations(blocks: 5, bytes: 249) { LazyPromise.run(on: context) { 1 } }
      expectAllocations(blocks: 5, bytes: 249) { LazyPromise<Int>(on: context) { $0.fulfill(1) } }
      let lazy = lazy()
      // The blocks 32, 32, 40 and 57 are the same as without a link. The link's closure takes 64 (header 16, lazy start
      // 8, site 8, make 16, two types 16), and the closure that makes the link takes 88 (header 16, context 16, file
      // and line 32, closure 16, type 8).
      expectAllocations(blocks: 6, bytes: 313) { lazy.map(on: context) { $0 &+ 1 } }
      expectAllocations(blocks: 6, bytes: 313) { lazy.then(on: context) { .fulfilled($0) } }
      // The closure has one word less, because there is no second type.
      expectAllocations(blocks: 6, bytes: 305) { lazy.recover(on: context) { _ in 1 } }
      expectAllocations(blocks: 6, bytes: 305) { lazy.rescue(on: context) { _ in .fulfilled(1) } }
      // The closure that makes the promise takes 72 (header 16, lazy start 8, two sites 16, chain 16, two types 16).
      expectAllocations(blocks: 5, bytes: 233) { lazy.derive { $0.asVoid() } }
    }

    private func lazy() -> LazyPromise<Int> { LazyPromise.adopting(on: context) { [promise] in promise } }

    @Test("Starting, cancelling and inspecting a lazy promise have the committed allocations")
    func start() {
      // The blocks are the list of promises to start (40) and those of `startOwned`: its function (40), the promise
      // (166), which is an entry, and the job (25). The side table (160) records whether the promise is given up. The
      // observer (166) that releases the closure at the end has a function (32) and a weak reference (24), which needs
      // a record (32).
      expectAllocations(blocks: 9, bytes: 685, of: lazy()) { $0.start() }
      // The blocks are the error's box (32), the cancelled promise (72), and the list (104), as for the
      // cancellation of any pending promise, and the side table (160).
      expectAllocations([32, 72, 104, 160], of: lazy()) { $0.cancel() }
      expectAllocations([], of: lazy()) { $0.isPending && $0.progress == 0 && $0.result == nil }
    }

    @Test("Each further link of a lazy chain that is started has the committed allocations")
    func startChain() {
      // A lazy link takes 32, 32, 40, 57, 64 and 88, as above. When it starts, it makes a `map` with a function (32)
      // and a link (166). As above, its end takes 24, 32, 32, 160 and 166. A consumer (166) keeps the source meanwhile.
      Growth.expect(blocksPerStep: 14, bytes: 1091) { count in
        var last = lazy()
        for _ in 0..<count { last = last.map(on: context) { $0 &+ 1 } }
        last.start()
        return last
      }
    }

    @Test("An observer that starts a lazy promise has the committed allocations")
    func observers() {
      // The blocks are those of the start (24, 25, 32, 32, 40, 40, 160, 166 and 166), the observer (166), and a
      // consumer (166) that keeps the work going while the observer is attached. A handler of errors also needs a
      // function (32).
      expectAllocations(blocks: 11, bytes: 1017, of: lazy()) {
        $0.onFulfilled(on: context) { _ in }
      }
      expectAllocations(blocks: 12, bytes: 1049, of: lazy()) {
        $0.onRejected(on: context) { _ in }
      }
      expectAllocations(blocks: 11, bytes: 1017, of: lazy()) {
        $0.onSettled(on: context) { _ in }
      }
      // The blocks of the start and of the consumer are the same. The observer of progress takes 80, and the list of
      // observers 40.
      expectAllocations(blocks: 12, bytes: 971, of: lazy()) { $0.onProgress(on: context) { _ in } }
    }
  }
}
