import PromiseCore
import Testing

extension MemoryTests {
  /// What promises take. The sizes are the gold test: a field more shows here.
  @Suite("promises")
  struct PromiseMemoryTests {
    @Test("M1, row B1: a pending promise and its owner are 2 allocations")
    func pending() {
      let (_, allocations) = Allocations.counted { Deferred<Int>() }
      // 24: the Deferred: header 16, promise 8.
      // 72: the Promise: header 16, word 8, payload 16, head 8, tail 8, side 8, site 8.
      #expect(allocations.requested == [24, 72])
      #expect(Allocations.counted { Promise<Int>.deferred() }.allocations.requested == [24, 72])
      #expect(allocations.usable == [24, 72])
      // The goals of M1: the owner at most 32 bytes, the promise at most 80.
      #expect(allocations.usable[0] <= 32)
      #expect(allocations.usable[1] <= 80)
    }

    @Test("row B2: a fulfilled promise is 1 allocation")
    func fulfilled() {
      let (_, allocations) = Allocations.counted { Promise.fulfilled(1) }
      // The Promise, as above.
      #expect(allocations.requested == [72])
    }

    @Test("row B3: a rejected promise is 1 allocation, and the error's box")
    func rejected() {
      let (_, allocations) = Allocations.counted { Promise<Int>.rejected(Failure(code: 1)) }
      // 40: the box of the existential: header 16, type 8, witness table 8, the error 8.
      // 72: the Promise.
      #expect(allocations.requested == [40, 72])
    }

    @Test("rows B7 B8: a closure that runs on a context is 2 allocations")
    func run() {
      let context = Shelf()
      let (_, allocations) = Allocations.counted { Promise.run(on: context) { 1 } }
      // The entry 164, which is the promise, and the job 25, see `LinkMemoryTests`.
      #expect(allocations.requested == [25, 164])
    }

    @Test("W8, row B7: a closure that captures is one more: its own context")
    func runCapturing() {
      let context = Shelf()
      let number = Int.random(in: 1...2)
      let (_, allocations) = Allocations.counted { [number] in Promise.run(on: context) { number } }
      // And the handler's own context 24: header 16, number 8.
      #expect(allocations.requested == [24, 25, 164])
    }

    @Test("row B4: a promise made by a closure is 1 allocation")
    func catching() {
      let (_, allocations) = Allocations.counted { Promise(catching: { 1 }) }
      #expect(allocations.requested == [72])
    }

    @Test("row B9: a promise made with its owner is 2 allocations, of which one is given back")
    func withOwner() {
      let (_, allocations) = Allocations.counted { Promise<Int> { deferred in deferred.fulfill(1) } }
      #expect(allocations.requested == [24, 72])
      #expect(allocations.releases == 1)
    }

    @Test("row B9: a closure that gets the owner on a context")
    func withOwnerOnContext() {
      let context = Shelf()
      let (_, waiting) = Allocations.counted { Promise<Int>(on: context) { $0.fulfill(1) } }
      // The promise 72. The `OwnerMaker` 176, its function 40 (header 16, promise 8, body 16) and its job 25. The hook
      // that ends the job if the promise is cancelled: the list of hooks 88, and the side table 152.
      #expect(waiting.requested == [25, 40, 72, 88, 152, 176])
      let (_, running) = Allocations.counted(of: Promise<Int>(on: context) { $0.fulfill(1) }) { _ in context.run() }
      #expect(running.requested == [])
    }

    @Test("the size of a promise does not depend on its value, of which two words have room inside")
    func sizesOfValues() {
      #expect(Allocations.counted { Deferred<Void>() }.allocations.requested == [24, 72])
      #expect(Allocations.counted { Deferred<Bool>() }.allocations.requested == [24, 72])
      #expect(Allocations.counted { Deferred<String>() }.allocations.requested == [24, 72])
      #expect(Allocations.counted { Deferred<(Int, Int, Int)>() }.allocations.requested == [24, 72])
      #expect(Allocations.counted { Deferred<(Int, Int, Int, Int)>() }.allocations.requested == [24, 72])
      // A larger value gets a block of its own.
      #expect(Allocations.counted { Promise.fulfilled((1, 2)) }.allocations.requested == [72])
      #expect(Allocations.counted { Promise.fulfilled((1, 2, 3)) }.allocations.requested == [40, 72])
    }

    @Test("settling a promise that nobody waits for allocates nothing")
    func settling() {
      let (settled, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.fulfill(1) }
      #expect(settled)
      #expect(allocations.count == 0)
    }

    private struct Failure: Error {
      let code: Int
    }
  }
}
