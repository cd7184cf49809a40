import PromiseContexts
import Testing

extension MemoryTests {
  /// What settling and running takes: the aim is nothing but what Dispatch needs for a job. Lists as in
  /// `LinkMemoryTests`.
  @Suite("settling")
  struct SettlingMemoryTests {
    private let shelf = Shelf()

    @Test("a settlement with one handler allocates the job for a context of a client, and running it allocates nothing")
    func oneHandler() {
      let (_, allocations) = Allocations.counted(of: owned { $0.map(on: shelf) { $0 &+ 1 } }.owner) {
        $0.fulfill(1)
        shelf.run()
      }
      // The job. On a queue there is none, see `ContextMemoryTests`.
      #expect(allocations.requested == [25])
      // The job, and the link, which is the derived promise.
      #expect(allocations.releases == 2)
    }

    @Test("a settlement with several handlers allocates a job for each, and nothing else")
    func severalHandlers() {
      let (_, allocations) = Allocations.counted(
        of: owned { promise in for _ in 0..<3 { _ = promise.map(on: shelf) { $0 &+ 1 } } }.owner
      ) {
        $0.fulfill(1)
        shelf.run()
      }
      // The jobs. What is below the settled promise is recorded in fields that it and its links have.
      #expect(allocations.requested == [25, 25, 25])
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
      // The promise that follows, in the queue of what is to be fired. There is no `Follower`.
      #expect(allocations.requested == [96])
    }

    @Test("rule 3.3: one more step of a loop of `then`")
    func loop() {
      let growth = Growth.counted { count in
        let result = step(count)
        shelf.run()
        return result
      }
      // The step's promise 72, the link 164, which is the promise derived from it and adopts the next, and its job 25.
      #expect(growth.perStep == [25, 72, 164])
      #expect(growth.kept == 0)
    }

    private func step(_ left: Int) -> Promise<Int> {
      Promise.fulfilled(left).then(on: shelf) { [self] left in left == 0 ? .fulfilled(0) : step(left - 1) }
    }
  }
}
