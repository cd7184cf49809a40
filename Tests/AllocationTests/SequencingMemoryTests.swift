import PromiseCombinators
import Testing

extension MemoryTests {
  /// Tests the allocations of `retry` and of operators that do one thing after another. `LinkMemoryTests` explains the
  /// lists.
  @Suite("Allocations of sequencing operators") struct SequencingMemoryTests {
    private let context = HeldJobs()
    private let timers = HeldTimers()
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    @Test("repeat and each further step of it have the committed allocations")
    func `repeat`() {
      // The blocks are the step (57), which keeps the body, the site and the context, its function (40), the result
      // (166), which is an entry, and its job (25).
      expectAllocations([25, 40, 57, 166]) { Promise.repeat(on: context) { nil as Promise<Int>? } }
      // The blocks are the test's promise (72), the next step (72), which also keeps the result, its function (40), its
      // link (166) and its job (25).
      Growth.expect(blocksPerStep: 5, bytes: 375, kept: 0) { count in
        let steps = Countdown(from: count)
        let result = Promise.repeat(on: context) { steps.next().map { Promise.fulfilled($0) } }
        context.run()
        return result
      }
    }

    @Test("forEach and each further element of it have the committed allocations")
    func forEach() {
      // The blocks are those of `repeat`, the iterator box (40: header 16, iterator 24) and the closure that takes
      // elements from it (48).
      expectAllocations(blocks: 6, bytes: 376) { Promise.forEach(0..<1, on: context) { .fulfilled($0) } }
      // The blocks are those of a step of `repeat`, and a block of 40 bytes in which the standard library returns an
      // element of a range with an unknown type.
      Growth.expect(blocksPerStep: 6, bytes: 415, kept: 0) { count in
        let result = Promise.forEach(0..<count, on: context) { .fulfilled($0) }
        context.run()
        return result
      }
    }

    @Test("traverse and each further element of it have the committed allocations")
    func traverse() {
      // The traversal has a state (104) with the iterator box (40), and an object that stands in reports for what its
      // promises wait for (64). The first worker that takes elements has a closure
      // (80), a function (40), a promise (166), which is an entry, and a job (25). The collection of the values has a
      // closure (32), a function (40) and a link (166).
      expectAllocations(blocks: 10, bytes: 757) {
        Promise.traverse(0..<1, concurrency: 1, on: context) { .fulfilled($0) }
      }
      // The blocks are the test's promise (72), and the closure that stores its value and continues (88), which also
      // keeps the result, with its function (48), link (166) and job (25). The two blocks of 40 bytes are the element,
      // as for `forEach`, and the box of the value in the collection of all values.
      // The list is the same with four at a time, because a concurrent element needs no more than a serial one.
      for concurrency in [1, 4] {
        Growth.expect(blocksPerStep: 7, bytes: 479, kept: 0) { count in
          let result = Promise.traverse(0..<count, concurrency: concurrency, on: context) { .fulfilled($0) }
          context.run()
          return result
        }
      }
    }

    @Test("Each further concurrent place of traverse has the committed allocations")
    func traversePlace() {
      // Another worker that takes elements needs a closure (88), a function (40), a promise (166), which is an entry,
      // and a job (25). Its first element needs a block (40), a closure (88), a function (48) and a link (166). A
      // combination of this worker and the remaining workers needs a promise (72), a `Combination` (115), the inputs
      // (48), two observers (176 each) in a list (48), and a side table (160). The search for a ring needs a list (40),
      // which grows to 48, and a set (80), which grows to 96.
      Growth.expect(blocksPerStep: 19, bytes: 1720) {
        count in
        let result = Promise.traverse(0..<16, concurrency: count, on: context) { _ in promise }
        context.run()
        return result
      }
    }

    @Test("reduce and each further element of it have the committed allocations")
    func reduce() {
      // The blocks are the iterator box (40), the step (72), its function (48) and its link (166).
      expectAllocations([40, 48, 72, 166]) { promise.reduce(0..<1, on: context) { .fulfilled($0 &+ $1) } }
      // The blocks are the test's promise (72), the next step (80), which also keeps the partial result, its link (166)
      // and its job (25). The blocks of 40 and 48 bytes are the element and the step's function.
      Growth.expect(blocksPerStep: 6, bytes: 431, kept: 0) { count in
        let result = Promise.fulfilled(0).reduce(0..<count, on: context) { .fulfilled($0 &+ $1) }
        context.run()
        return result
      }
    }

    @Test("chain and each further function of it have the committed allocations")
    func chain() {
      let functions: [@Sendable (Int) throws -> Promise<Int>] = Array(repeating: { .fulfilled($0) }, count: 17)
      // The blocks are the test's list (48), two adapters of the function, for generic code and back (40 each), the
      // closure that calls the function (48), the function of the entry (40), the entry (166) and its job (25).
      expectAllocations(blocks: 7, bytes: 407) { Promise.chain(0, [functions[0]], on: context) }
      let growth = Growth.counted { Promise.chain(0, Array(functions.prefix($0)), on: context) }
      // The blocks are the adapters of the function for the list (16 and 40) and back (40), the link's function (48)
      // and the link (166).
      #expect(growth.perStep.total == Blocks(5, bytes: 310))
      #expect(growth.others == 0)
      // The run adds the test's promise (72) and the job (25). That promise is settled, so there is the queue of
      // promises to fire (104).
      Growth.expect(blocksPerStep: 8, bytes: 511, kept: 0) { count in
        let result = Promise.chain(0, Array(functions.prefix(count)), on: context)
        context.run()
        return result
      }
    }

    @Test("join and relay have the committed allocations, and join none when it gets its inner promise")
    func join() {
      let outer = Deferred<Promise<Int>>()
      // `join` is a `then`, with a closure that returns the inner promise (24), a function (32) and a link (166).
      expectAllocations([24, 32, 166]) { outer.promise.join() }
      // `InlineContext` gets its job without a block, and the link already exists.
      expectAllocations([], of: owned { $0.join() }) { [promise] outer, _ in outer.fulfill(promise) }
      // The blocks are those of `follow`: the `Follower` (184), a list that contains it (40), and the side table (160).
      expectAllocations([40, 160, 184], of: Deferred<Int>()) { promise.relay(to: $0) }
    }

    @Test("retry has the committed allocations before its closure runs, and for a fulfilled attempt")
    func retry() {
      // One object keeps all arguments of `retry` (193). The first attempt needs a function (40), a promise (166),
      // which is an entry, and a job (25). The next attempt is prepared by a closure (40: header 16, object 8, number
      // 8, result 8), a function (40) and a link (166). The backoff has a closure (32).
      expectAllocations(blocks: 8, bytes: 710) {
        Promise<Int>.retry(on: context, timers: timers) { .fulfilled(1) }
      }
      // The closure makes a promise (72), and its outcome passes through the queue of the call that settles (104).
      // Each has a context of its own, because running one context would run the jobs of both objects.
      let waiting = { [timers] in
        let context = HeldJobs()
        return (context, Promise<Int>.retry(on: context, timers: timers) { .fulfilled(1) })
      }
      expectAllocations([72, 104], of: waiting()) { context, _ in context.run() }
    }

    @Test("Each further attempt has the committed allocations and keeps no block")
    func attempt() {
      let failed = Promise<Int>.rejected(Failure())
      // The attempt takes the same blocks as above without the object, the backoff and the job (40, 40, 40, 166 and
      // 166). The pause is an `after` (24, 32, 32, 33, 72, 72, 88 and 160, see `TimingMemoryTests`). The attempt after
      // the pause is a `thenOwned`, with a closure (40), a function (40) and a link (166). There are the jobs of that
      // link and of the link that prepares the next attempt (25 each). The attempt's promise is already rejected, so
      // there is the queue of promises to fire (104). The remaining two blocks are lists (40 each).
      Growth.expect(
        blocksPerStep: 21, bytes: 1445, kept: 0
      ) { count in
        let result = Promise.retry(attempts: count + 1, on: context, timers: timers) { failed }
        while context.run() || timers.ring() {}
        return result
      }
    }

    @Test("Each further attempt that hands a value on has the committed allocations and keeps no block")
    func carryingAttempt() {
      let failed = Promise<Int>.rejected(Failure())
      // Beyond the blocks above there are the promise of the answer (72), and the link to it (166) with a closure and a
      // function. The closures are larger, because they keep the attempt.
      Growth.expect(
        blocksPerStep: 26, bytes: 1899, kept: 0
      ) { count in
        let result = Promise.retry(attempts: count + 1, on: context, timers: timers, carrying: 0) { attempt in
          attempt.carry(attempt.number)
          return failed
        }
        while context.run() || timers.ring() {}
        return result
      }
    }

    private struct Failure: Error {}

    @Test("A backoff has the committed allocations, and the computation of a pause allocates nothing")
    func backoff() {
      // The block is the closure that keeps the pause.
      expectAllocations([32]) { Backoff.constant(.seconds(1)) }
      // The closures keep the first pause, the factor and the cap (56), and the wrapped backoff and the source of
      // random numbers (48).
      expectAllocations([48, 56]) { Backoff.exponential(first: .seconds(1)).jittered() }
      let backoff = Backoff.exponential(first: .seconds(1)).jittered { 0.5 }
      expectAllocations([]) { backoff.pause(before: 7) }
    }
  }
}

/// A counter that returns each lower number once, down to 0, and then `nil`.
private final class Countdown: @unchecked Sendable {
  // `@unchecked`: only one thread uses it.
  private var left: Int

  init(from count: Int) { left = count }

  func next() -> Int? {
    left -= 1
    return left < 0 ? nil : left
  }
}
