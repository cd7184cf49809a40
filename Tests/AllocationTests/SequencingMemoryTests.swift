import PromiseCombinators
import Testing

extension MemoryTests {
  /// What operators take that do one thing after another. Lists as in `LinkMemoryTests`.
  @Suite("Allocations of sequencing operators")
  struct SequencingMemoryTests {
    private let shelf = Shelf()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("repeat has the committed allocations before its closure runs")
    func `repeat`() {
      let (_, allocations) = Allocations.counted { Promise.repeat(on: shelf) { nil as Promise<Int>? } }
      // The step 56 (body 16, site 8, context 16), its function 40, the result 164, which is an entry, and its job 25.
      #expect(allocations.requested == [25, 40, 57, 164])
    }

    @Test("Each further step of repeat has the committed allocations and keeps no block")
    func repeatStep() {
      let growth = Growth.counted { count in
        let steps = Countdown(from: count)
        let result = Promise.repeat(on: shelf) { steps.next().map { Promise.fulfilled($0) } }
        shelf.run()
        return result
      }
      // The test's promise 72. The next step 64, which also keeps the result, its function 40, link 164 and job 25.
      #expect(growth.perStep == [25, 40, 72, 72, 164])
      #expect(growth.kept == 0)
    }

    @Test("forEach has the committed allocations before its closure runs")
    func forEach() {
      let (_, allocations) = Allocations.counted { Promise.forEach(0..<1, on: shelf) { .fulfilled($0) } }
      // As a `repeat`, with the iterator box 40 (header 16, iterator 24) and the closure that takes from it 48.
      #expect(allocations.requested == [25, 40, 40, 48, 57, 164])
    }

    @Test("Each further element of forEach has the committed allocations and keeps no block")
    func forEachStep() {
      let growth = Growth.counted { count in
        let result = Promise.forEach(0..<count, on: shelf) { .fulfilled($0) }
        shelf.run()
        return result
      }
      // As a step of a `repeat`; 40: the standard library reads an element of a range whose type it does not know.
      #expect(growth.perStep == [25, 40, 40, 72, 72, 164])
      #expect(growth.kept == 0)
    }

    @Test("traverse has the committed allocations before its closure runs")
    func traverse() {
      let (_, allocations) = Allocations.counted {
        Promise.traverse(0..<1, concurrency: 1, on: shelf) { .fulfilled($0) }
      }
      // The state of the traversal 65 with the iterator box 40. The first worker that takes elements: its closure 72,
      // function 40, promise 164, which is an entry, and its job 25. What collects the values: its closure 32, function
      // 40, link 164.
      #expect(allocations.requested == [25, 32, 40, 40, 40, 65, 72, 164, 164])
    }

    private func traverseGrowth(concurrency: Int) -> Growth {
      Growth.counted { count in
        let result = Promise.traverse(0..<count, concurrency: concurrency, on: shelf) { .fulfilled($0) }
        shelf.run()
        return result
      }
    }

    @Test("Each further element of a serial traverse has the committed allocations and keeps no block")
    func traverseStep() {
      let growth = traverseGrowth(concurrency: 1)
      // The test's promise 72. What stores its value and goes on: closure 80, which also keeps the result, function 48,
      // link 164, job 25. 40 twice: the element read, as above; the box of the value when all are collected.
      #expect(growth.perStep == [25, 40, 40, 48, 72, 80, 164])
      #expect(growth.kept == 0)
    }

    @Test("Each further element of traverse with four at a time has the committed allocations and keeps no block")
    func traverseConcurrentStep() {
      let growth = traverseGrowth(concurrency: 4)
      // The same: who runs beside others costs nothing more.
      #expect(growth.perStep == [25, 40, 40, 48, 72, 80, 164])
      #expect(growth.kept == 0)
    }

    @Test("Each further concurrent place of traverse has the committed allocations")
    func traversePlace() {
      let growth = Growth.counted { count in
        let result = Promise.traverse(0..<16, concurrency: count, on: shelf) { _ in promise }
        shelf.run()
        return result
      }
      // One worker that takes elements: closure 80, function 40, promise 164, which is an entry, and its job 25. Its
      // first element: 40, closure 80, function 48, link 164. What waits for both, the one and the rest: promise 72,
      // `Combination` 106, inputs 48, observers 164 and 164 in a list 48, the side table 152. To look for a ring: a
      // list 40, which grows to 48, and a set 80, which grows to 96.
      #expect(growth.perStep == [25, 40, 40, 40, 48, 48, 48, 48, 72, 80, 80, 80, 96, 106, 152, 164, 164, 176, 176])
    }

    @Test("reduce has the committed allocations before its promise is fulfilled")
    func reduce() {
      let (_, allocations) = Allocations.counted { promise.reduce(0..<1, on: shelf) { .fulfilled($0 &+ $1) } }
      // The iterator box 40, the step 72, function 40, link 164.
      #expect(allocations.requested == [40, 40, 72, 164])
    }

    @Test("Each further element of reduce has the committed allocations and keeps no block")
    func reduceStep() {
      let growth = Growth.counted { count in
        let result = Promise.fulfilled(0).reduce(0..<count, on: shelf) { .fulfilled($0 &+ $1) }
        shelf.run()
        return result
      }
      // As a step of a `repeat` with an element; the step keeps one thing more: 80.
      #expect(growth.perStep == [25, 40, 48, 72, 80, 164])
      #expect(growth.kept == 0)
    }

    @Test("chain and each further function of it have the committed allocations")
    func chain() {
      let functions: [@Sendable (Int) throws -> Promise<Int>] = Array(repeating: { .fulfilled($0) }, count: 17)
      let (_, one) = Allocations.counted { Promise.chain(0, [functions[0]], on: shelf) }
      // The test's list 48. The function 40 twice, adapted for generic code and back; the closure that calls it 48; the
      // function of the entry 40, the entry 164 and its job 25.
      #expect(one.requested == [25, 40, 40, 40, 48, 48, 164])
      let growth = Growth.counted { Promise.chain(0, Array(functions.prefix($0)), on: shelf) }
      // The function, adapted for the list 16 and 40 and back 40; the link's function 48, the link 164.
      #expect(growth.perStep == [16, 40, 40, 48, 164])
      #expect(growth.others == 0)
      let run = Growth.counted { count in
        let result = Promise.chain(0, Array(functions.prefix(count)), on: shelf)
        shelf.run()
        return result
      }
      // And the test's promise 72, the job 25, and the queue of what is to be fired 96, because that promise is
      // settled.
      #expect(run.perStep == [16, 25, 40, 40, 48, 72, 96, 164])
      #expect(run.kept == 0)
    }

    @Test("join has the committed allocations")
    func join() {
      let outer = Deferred<Promise<Int>>()
      let (_, allocations) = Allocations.counted { outer.promise.join() }
      // A `then`: the closure 24 that returns the inner promise, function 32, link 164.
      #expect(allocations.requested == [24, 32, 164])
    }

    @Test("join allocates only a job when it gets its inner promise")
    func joining() {
      let (_, allocations) = Allocations.counted(of: owned { $0.join() }) { [promise] outer, _ in outer.fulfill(promise)
      }
      // The job, because `InlineContext` gets a `Job`. The link is there.
      #expect(allocations.requested == [25])
    }

    @Test("relay allocates the same blocks as follow")
    func relay() {
      let (_, allocations) = Allocations.counted(of: Deferred<Int>()) { promise.relay(to: $0) }
      // As `follow`: the `Follower` 176, in a list 40, in the side table 152.
      #expect(allocations.requested == [40, 152, 176])
    }
  }
}

/// So many numbers.
private final class Countdown: @unchecked Sendable {
  // `@unchecked`: used by one thread.
  private var left: Int

  init(from count: Int) { left = count }

  func next() -> Int? {
    left -= 1
    return left < 0 ? nil : left
  }
}
