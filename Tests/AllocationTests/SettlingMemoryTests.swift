import PromiseContexts
import Testing

extension MemoryTests {
  /// What settling and running takes: the aim is nothing but what Dispatch needs for a job.
  @Suite("settling")
  struct SettlingMemoryTests {
    private let shelf = Shelf()

    @Test("a settlement with one handler allocates nothing, nor does running it")
    func oneHandler() {
      let (_, allocations) = Allocations.counted(of: owned { $0.map(on: shelf) { $0 &+ 1 } }.owner) {
        $0.fulfill(1)
        shelf.run()
      }
      #expect(allocations.requested == [])
      // The link and the derived promise.
      #expect(allocations.releases == 2)
    }

    @Test("a settlement with several handlers makes one node, below which their links stand")
    func severalHandlers() {
      let (_, allocations) = Allocations.counted(
        of: owned { promise in for _ in 0..<3 { _ = promise.map(on: shelf) { $0 &+ 1 } } }.owner
      ) {
        $0.fulfill(1)
        shelf.run()
      }
      // The `FamilyNode`: header 16, promise 8, place 24, first 8, early 8, stripe 1, shown 1.
      #expect(allocations.requested == [66])
    }

    @Test("row C1: to reject allocates the error's box")
    func reject() {
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.reject(CancellationError()) }
      // The box of an error without fields: header 16, type 8, witness table 8.
      #expect(allocations.requested == [32])
      let (_, settle) = Allocations.counted(of: Deferred<Int>()) { $0.settle(.success(1)) }
      #expect(settle.requested == [])
    }

    @Test("rows L5 L6: to resolve from a callback allocates nothing")
    func resolve() {
      let (_, value) = Allocations.counted(of: Deferred<Int>()) { $0.resolve(1, nil) }
      #expect(value.requested == [])
      let (_, result) = Allocations.counted(of: Deferred<Int>()) { $0.resolve(Result<Int, any Error>.success(1)) }
      #expect(result.requested == [])
      let (_, empty) = Allocations.counted(of: Deferred<Int>()) { $0.resolve(nil, nil as (any Error)?) }
      // The box of a `PromiseError`.
      #expect(empty.requested == [73])
      let (_, none) = Allocations.counted(of: Deferred<Void>()) { $0.resolve() }
      #expect(none.requested == [])
    }

    @Test("row A1: to look at a promise allocates nothing")
    func looking() {
      let done = Promise.fulfilled(1)
      let (_, allocations) = Allocations.counted {
        if case .fulfilled = done.state { done.result != nil && !done.isPending && done.parent == nil } else { false }
      }
      #expect(allocations.requested == [])
    }

    @Test("rule 3.1: to follow a settled promise")
    func followSettled() {
      let done = Promise.fulfilled(1)
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) { $0.follow(done) }
      // The `AdoptingReaction`, which goes at once.
      #expect(allocations.requested == [152])
    }

    @Test("rule 3.3: one more step of a loop of `then`")
    func loop() {
      let growth = Growth.counted { count in
        let result = step(count)
        shelf.run()
        return result
      }
      // The step's promise 72 and the one derived from it 72, and the adopting link 152.
      #expect(growth.perStep == [72, 72, 152])
      #expect(growth.kept == 0)
    }

    private func step(_ left: Int) -> Promise<Int> {
      Promise.fulfilled(left).then(on: shelf) { [self] left in left == 0 ? .fulfilled(0) : step(left - 1) }
    }
  }
}
