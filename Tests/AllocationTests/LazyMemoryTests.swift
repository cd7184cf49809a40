import PromiseCombinators
import Testing

extension MemoryTests {
  /// Tests the allocations of lazy promises. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of lazy promises") struct LazyMemoryTests {
    private let shelf = Shelf()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("Lazy promises and links that have not started have the committed allocations")
    func makers() {
      // The blocks are the slot (32), the lazy promise (40: header 16, slot 8, lazy start 8, site 8), the lazy start
      // (48: header 16, lock 8, upstream 8, closure 16), the closure that fills the slot (40: header 16, slot 8,
      // closure 16) and the closure that starts the promise (64: header 16, context 16, body 16, site 8, type 8).
      expectAllocations([32, 40, 40, 48, 64]) { [promise] in LazyPromise.adopting(on: shelf) { promise } }
      // The closure that starts the promise is larger (88), because it keeps the file and the line.
      expectAllocations([32, 40, 40, 48, 88]) { LazyPromise.run(on: shelf) { 1 } }
      expectAllocations([32, 40, 40, 48, 88]) { LazyPromise<Int>(on: shelf) { $0.fulfill(1) } }
      let lazy = lazy()
      // The blocks 32, 40, 40 and 48 are the same as without a link. The link's closure takes 56 (header 16, slot 8,
      // site 8, make 16, type 8), and the closure that makes the link takes 88 (header 16, context 16, file and line
      // 32, closure 16, type 8).
      expectAllocations([32, 40, 40, 48, 56, 88]) { lazy.map(on: shelf) { $0 &+ 1 } }
      expectAllocations([32, 40, 40, 48, 56, 88]) { lazy.then(on: shelf) { .fulfilled($0) } }
      // The closure has one word less, because there is no second type.
      expectAllocations([32, 40, 40, 48, 56, 80]) { lazy.recover(on: shelf) { _ in 1 } }
      expectAllocations([32, 40, 40, 48, 56, 80]) { lazy.rescue(on: shelf) { _ in .fulfilled(1) } }
      // The closure that makes the promise takes 48 (header 16, chain 16, site 8, type 8).
      expectAllocations([32, 40, 40, 48, 48, 56]) { lazy.derive { $0.asVoid() } }
    }

    private func lazy() -> LazyPromise<Int> { LazyPromise.adopting(on: shelf) { [promise] in promise } }

    @Test("Starting, cancelling and inspecting a lazy promise have the committed allocations")
    func start() {
      // The blocks are the list of promises to start (40) and those of `startOwned`: its function (40), the promise
      // (164), which is an entry, and the job (25).
      expectAllocations([25, 40, 40, 164], of: lazy()) { $0.start() }
      // The blocks are the error's box (32), the cancelled promise (72), and the list (96), as for the
      // cancellation of any pending promise.
      expectAllocations([32, 72, 96], of: lazy()) { $0.cancel() }
      expectAllocations([], of: lazy()) { $0.isPending && $0.progress == 0 && $0.result == nil }
    }

    @Test("Each further link of a lazy chain that is started has the committed allocations")
    func startChain() {
      // A lazy link takes 32, 40, 40, 48, 56 and 88, as above. When it starts, it makes a `map` with a function (32)
      // and a link (164).
      Growth.expect(perStep: [32, 32, 40, 40, 48, 56, 88, 164]) { count in
        var last = lazy()
        for _ in 0..<count { last = last.map(on: shelf) { $0 &+ 1 } }
        last.start()
        return last
      }
    }

    @Test("An observer that starts a lazy promise has the committed allocations")
    func observers() {
      // The blocks are those of the start (25, 40, 40 and 164) and the observer (164).
      expectAllocations([25, 40, 40, 164, 164], of: lazy()) { $0.onFulfilled(on: shelf) { _ in } }
      expectAllocations([25, 40, 40, 164, 164], of: lazy()) { $0.onRejected(on: shelf) { _ in } }
      expectAllocations([25, 40, 40, 164, 164], of: lazy()) { $0.onSettled(on: shelf) { _ in } }
      // The blocks of the start are 25, 40, 40 and 164. The observer of progress takes 83, with the list of observers
      // (40) and the side table (152). It needs a watch (48), a record for weak references (32), the list of watches
      // (40), the steps (80) and posts (40) of the trail, and the set of watchers (104).
      expectAllocations([25, 32, 40, 40, 40, 40, 40, 48, 80, 83, 104, 152, 164], of: lazy()) {
        $0.onProgress(on: shelf) { _ in }
      }
    }
  }
}
