import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations that settle a promise and run its handlers. The aim is to allocate only the jobs that a
  /// context needs. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of settlement") struct SettlingMemoryTests {
    private let context = HeldJobs()

    @Test("A settlement with one handler allocates only the job for a client's context, and running it nothing")
    func oneHandler() {
      let (_, allocations) = Allocations.counted(of: owned { $0.map(on: context) { $0 &+ 1 } }.owner) {
        $0.fulfill(1)
        context.run()
      }
      // The block is the job. A queue needs no job, see `ContextMemoryTests`.
      #expect(allocations.requested == [25])
      // The code releases the job and the link, which is the derived promise.
      #expect(allocations.releases == 2)
    }

    @Test("A settlement with several handlers allocates a job for each handler and nothing else")
    func severalHandlers() {
      // The blocks are the jobs. The settled promise and its links have fields that record the promises below them.
      expectAllocations(
        [25, 25, 25], of: owned { promise in for _ in 0..<3 { _ = promise.map(on: context) { $0 &+ 1 } } }.owner
      ) {
        $0.fulfill(1)
        context.run()
      }
    }

    @Test("Settling a promise without consumers allocates only the box of an error")
    func reject() {
      // The box of an error without fields takes 32 (header 16, type 8, witness table 8).
      expectAllocations([32], of: Deferred<Int>()) { $0.reject(CancellationError()) }
      expectAllocations([], of: Deferred<Int>()) { $0.fulfill(1) }
      expectAllocations([], of: Deferred<Int>()) { $0.settle(.success(1)) }
    }

    @Test("Resolving from a callback allocates nothing unless it makes an error")
    func resolve() {
      expectAllocations([], of: Deferred<Int>()) { $0.resolve(1, nil) }
      expectAllocations([], of: Deferred<Int>()) { $0.resolve(Result<Int, any Error>.success(1)) }
      // The block is the box of a `PromiseError`.
      expectAllocations([73], of: Deferred<Int>()) { $0.resolve(nil, nil as (any Error)?) }
      expectAllocations([], of: Deferred<Void>()) { $0.resolve() }
    }

    @Test("Inspecting a promise allocates nothing, and following a settled promise one block", .rule("3.1"))
    func looking() {
      let done = Promise.fulfilled(1)
      expectAllocations([]) {
        if case .fulfilled = done.state { done.result != nil && !done.isPending && done.parent == nil } else { false }
      }
      // The queue of promises to fire contains the following promise. There is no `Follower`.
      expectAllocations([104], of: Deferred<Int>()) { $0.follow(done) }
    }

    @Test("Each further step of a loop of `then` has the committed allocations and keeps no block", .rule("3.3"))
    func loop() {
      // The blocks are the step's promise (72), the link (166), which is the promise that is derived from it and adopts
      // the next promise, and its job (25).
      Growth.expect(perStep: [25, 72, 166], kept: 0) { count in
        let result = step(count)
        context.run()
        return result
      }
    }

    @Test("A step of a loop for whose result many owners wait allocates what any other step does", .rule("3.3"))
    func awaitedLoop() {
      Growth.expect(perStep: [25, 72, 166]) { count in
        let owners = (0..<100).map { _ in Deferred<Int>() }
        follow(step(count), owners)
        context.run()
        return owners
      }
    }

    /// Leaves the followed promise without a reference of the test, so that it may be collapsed.
    @inline(never)
    private func follow(_ promise: consuming Promise<Int>, _ owners: [Deferred<Int>]) {
      for owner in owners { owner.follow(promise) }
    }

    private func step(_ left: Int) -> Promise<Int> {
      Promise.fulfilled(left).then(on: context) { [self] left in left == 0 ? .fulfilled(0) : step(left - 1) }
    }
  }
}
