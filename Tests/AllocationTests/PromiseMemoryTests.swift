import PromiseCore
import Testing

extension MemoryTests {
  /// Tests the allocations of promises. The sizes are exact, so a test fails if a promise gets another field.
  @Suite("Allocations of promises") struct PromiseMemoryTests {
    @Test("A pending promise and its owner take 2 allocations")
    func pending() {
      // - 24: the `Deferred`: header 16, promise 8.
      // - 72: the `Promise`: header 16, word 8, payload 16, head 8, tail 8, side 8, site 8.
      let (_, allocations) = Allocations.counted { Deferred<Int>() }
      #expect(allocations.requested == [24, 72])
      expectAllocations([24, 72]) { Promise<Int>.deferred() }
      // The goals are at most 32 bytes for the owner and at most 80 bytes for the promise.
      #expect(allocations.usable == [24, 72])
    }

    @Test("A settled promise takes 1 allocation besides the box of its error")
    func fulfilled() {
      expectAllocations([72]) { Promise.fulfilled(1) }
      // - 40: the box of the existential: header 16, type 8, witness table 8, error 8.
      // - 72: the `Promise`.
      expectAllocations([40, 72]) { Promise<Int>.rejected(Failure(code: 1)) }
      expectAllocations([72]) { Promise(catching: { 1 }) }
    }

    @Test("A closure that runs on a context takes 2 allocations, and a closure that captures takes 2 more")
    func run() {
      let context = HeldJobs()
      // The blocks are the entry (166), which is the promise, and the job (25), see `LinkMemoryTests`.
      expectAllocations([25, 166]) { Promise.run(on: context) { 1 } }
      let number = Int.random(in: 1...2)
      // The handler's own context takes 24 (header 16, number 8), and the function that captures the handler 32.
      expectAllocations([24, 25, 32, 166]) { [number] in Promise.run(on: context) { number } }
    }

    @Test("A promise made with its owner has the committed allocations")
    func withOwner() {
      let (_, allocations) = Allocations.counted { Promise<Int> { deferred in deferred.fulfill(1) } }
      #expect(allocations.requested == [24, 72])
      #expect(allocations.releases == 1)
      let context = HeldJobs()
      // The blocks are the promise (72), the `OwnerMaker` (176), its function (40: header 16, promise 8, body 16) and
      // its job (25). A hook ends the job if the promise is cancelled, so there are the list of hooks (88) and the side
      // table (160).
      expectAllocations(blocks: 6, bytes: 561) { Promise<Int>(on: context) { $0.fulfill(1) } }
      // The job makes the `Deferred` (24). Each has a context of its own, because running one context would run the
      // jobs of both objects.
      let waiting = {
        let context = HeldJobs()
        return (context, Promise<Int>(on: context) { $0.fulfill(1) })
      }
      expectAllocations([24], of: waiting()) { context, _ in context.run() }
    }

    @Test("A promise has the same size for every type of value and stores values of up to two words inline")
    func sizesOfValues() {
      expectAllocations([24, 72]) { Deferred<Void>() }
      expectAllocations([24, 72]) { Deferred<Bool>() }
      expectAllocations([24, 72]) { Deferred<String>() }
      expectAllocations([24, 72]) { Deferred<(Int, Int, Int)>() }
      expectAllocations([24, 72]) { Deferred<(Int, Int, Int, Int)>() }
      // A larger value needs a block of its own.
      expectAllocations([72]) { Promise.fulfilled((1, 2)) }
      expectAllocations([40, 72]) { Promise.fulfilled((1, 2, 3)) }
    }

    private struct Failure: Error { let code: Int }
  }
}
