import PromiseCombinators
import TestSupport
import Testing

extension MemoryTests {
  /// Tests the allocations of combinators. `LinkMemoryTests` explains the lists.
  @Suite("Allocations of combinators") struct CombiningMemoryTests {
    private let deferred = Deferred<Int>()
    private var promise: Promise<Int> { deferred.promise }

    private func growth<Value>(_ combine: ([Promise<Int>]) -> Promise<Value>) -> Growth {
      let promises = Array(repeating: promise, count: 17)
      return Growth.counted { combine(Array(promises.prefix($0))) }
    }

    @Test("Each input allocates one block for its observer, and arrays are allocated once at their full size")
    func inputs() {
      for growth in [
        growth { .all($0) }, growth { .allSettled($0) }, growth { .any($0) }, growth { .race($0) },
        growth { .some($0, count: 1) },
      ] {
        #expect(growth.perStep == [176])
        #expect(growth.others == 0)
      }
    }

    @Test("A settled input allocates no block")
    func settledInputs() {
      let fulfilled = Promise.fulfilled(1)
      let rejected = Promise<Int>.rejected(CancellationError())
      func growth<Value>(of input: Promise<Int>, _ combine: ([Promise<Int>]) -> Promise<Value>) -> Growth {
        let inputs = Array(repeating: input, count: 17)
        return Growth.counted { combine(Array(inputs.prefix($0))) }
      }
      for growth in [
        growth(of: fulfilled) { .all($0) }, growth(of: rejected) { .all($0, onRejection: .waitForAll) },
        growth(of: fulfilled) { .allSettled($0) }, growth(of: rejected) { .any($0) },
      ] {
        #expect(growth.perStep == [])
        #expect(growth.others == 0)
      }
    }

    @Test("Following a result of many inputs allocates what following a result of few does", .rule("3.2"))
    func followedResult() {
      func sizes(_ count: Int) -> [Int] {
        let inputs = (0..<count).map { _ in Deferred<Int>() }
        let result = Promise.all(inputs.map(\.promise))
        // A link waits for the follower, so the call looks for a ring.
        let (_, allocations) = Allocations.counted(
          of: { () -> (Deferred<Int>, Promise<[Int]>, Deferred<[Int]>) in
            let owner = Deferred<[Int]>()
            return (inputs[0], owner.promise.map(on: HeldJobs()) { $0 }, owner)
          }()
        ) { $0.2.follow(result) }
        return allocations.requested
      }
      #expect(sizes(2_000) == sizes(200))
    }

    @Test("A result whose progress was read leaves little memory in an input that outlives it", .rule("4.9", "5.4"))
    func watchedInput() {
      let kept = Allocations.kept {
        for _ in 0..<1_000 {
          let other = Deferred<Int>()
          let first = Promise.race([promise, other.promise])
          _ = first.progress
          withExtendedLifetime(first) { _ = other.fulfill(1) }
        }
      }
      // The input retains its side table and the capacity of its lists.
      #expect(kept < 200)
    }

    @Test("all has the committed allocations, with any failure policy and of no input")
    func all() {
      // The blocks are the list of inputs as `AnyPromise` (40), the result (72), the record of the first rejection
      // (32), the rule (56), the `Combination` (115: header 16, inputs 8, operation 1, count of needed inputs 8, result
      // 8, rule 16, count 8, lock 1, observers 8, count 8, flags 2, finish 8, flag 1, measure 1, flag 1, and padding),
      // the result's side table (160), a list for one observer (40) and the observer (176). The closure that collects
      // the values retains only the list of inputs.
      expectAllocations(blocks: 8, bytes: 691) { Promise.all([promise]) }
      // Both lists are the same as for `all`, because a policy is a flag in the rule.
      expectAllocations(blocks: 8, bytes: 691) { Promise.all([promise], onRejection: .cancelRemaining) }
      expectAllocations(blocks: 8, bytes: 691) { Promise.all([promise], onRejection: .waitForAll) }
      expectAllocations([72]) { Promise.all([Promise<Int>]()) }
      // The blocks are the error's box (73), the promise (72), and the rule (40), which is not used.
      expectAllocations([40, 72, 73]) { Promise.any([Promise<Int>]()) }
    }

    @Test("all of two or three inputs of different types has the committed allocations")
    func different() {
      let flag = Deferred<Bool>()
      // Unlike for one input, there are two observers in a list of 48, the inputs take 48, and the closure that
      // collects the values takes 64.
      expectAllocations(blocks: 10, bytes: 947) { Promise.all(promise, flag.promise) }
      // There are three observers in a list of 56. The list of inputs grows from two elements (48) to three (64), and
      // the closure that collects the values takes 72.
      expectAllocations(blocks: 12, bytes: 1203) {
        Promise.all(promise, flag.promise, promise)
      }
    }

    @Test("allSettled of one input has the committed allocations, with or without atLeast")
    func allSettled() {
      // Unlike `all`, it has no record of the first rejection, and its rule takes 64 (header 16, inputs 8, count 8,
      // site 8, closure 16, type 8).
      expectAllocations(blocks: 7, bytes: 667) { Promise.allSettled([promise]) }
      expectAllocations(blocks: 7, bytes: 667) { Promise.allSettled([promise], atLeast: 1) }
    }

    @Test("any and race of one input have the committed allocations")
    func any() {
      // Unlike `all`, it has no record of the first rejection, and its rule takes 40 for a flag, the inputs and the
      // site.
      expectAllocations(blocks: 7, bytes: 643) { Promise.any([promise]) }
      // Unlike for `any`, the rule keeps only the flag (17).
      expectAllocations(blocks: 7, bytes: 620) { Promise.race([promise]) }
      expectAllocations(blocks: 8, bytes: 699) { Promise.any(enumerating: [promise]) }
      expectAllocations(blocks: 8, bytes: 684) { Promise.race(enumerating: [promise]) }
      expectAllocations(blocks: 8, bytes: 699) { Promise.any(inOrder: [promise]) }
    }

    @Test("some of one input has the committed allocations")
    func some() {
      // Unlike that of `all`, its record is that of the inputs that have arrived (72: header 16, lock 1, two counts 16,
      // two lists 16, and padding).
      expectAllocations(blocks: 8, bytes: 731) { Promise.some([promise], count: 1) }
    }

    private func combined<Value>(
      _ count: Int, _ combine: ([Promise<Int>]) -> Promise<Value>
    ) -> ([Deferred<Int>], Promise<Value>) {
      let inputs = (0..<count).map { _ in Deferred<Int>() }
      return (inputs, combine(inputs.map(\.promise)))
    }

    private func settling<Value>(_ count: Int, _ combine: @escaping ([Promise<Int>]) -> Promise<Value>) -> Allocations {
      Allocations.counted(of: combined(count, combine)) { inputs, _ in for input in inputs { input.fulfill(1) } }
        .allocations
    }

    @Test("The settlement of the inputs of a combinator has the committed allocations")
    func settlingAll() {
      // The blocks are the values (56), the decision of the last observer (50: header 16, combination 8, outcome 25,
      // flag 1) and the queue of promises to fire, which contains the result (104). Until the result is
      // fired, a list of one element (40) in the queue's list of `DueHooks` (72) retains the combination.
      #expect(settling(3) { .all($0) }.requested.total == Blocks(5, bytes: 322))
      // The outcomes take 80. The other blocks are the same as for `all`.
      #expect(settling(3) { .allSettled($0) }.requested.total == Blocks(5, bytes: 346))
      // The decision of the observer (50), the queue that contains the result (104) and the lists that retain the
      // combination (40 and 72) are the same as for `all`. The losing promise has a side table (160), which says that
      // its rejection is handled, and its departure stands in two lists (56: header 32, departure 24): that of the combination,
      // and that of what is left.
      #expect(settling(2) { .any($0) }.requested.total == Blocks(7, bytes: 538))
      #expect(settling(2) { .race($0) }.requested.total == Blocks(7, bytes: 538))
      // Unlike for `any`, there are the list of the inputs that have arrived and that of their values (48 and 48).
      #expect(settling(3) { .some($0, count: 2) }.requested.total == Blocks(9, bytes: 634))
    }

    @Test("Reading the progress of a result has the committed allocations")
    func progress() {
      // The result needs a watch (80), a record for its weak reference to the result (32), the values of its inputs
      // (40) and the list of its sinks (40). The input needs a sink (40), which records its progress, a side table
      // (160) and the list of sinks (40). The call of the watch needs a list (40).
      expectAllocations(blocks: 8, bytes: 472, of: combined(1) { .all($0) }) { $1.progress }
    }

    @Test("A promise that loses a million races keeps no block of them", .rule("4.9"))
    func millionRaces() {
      let winner = Promise.fulfilled(1)
      // The promise keeps the blocks that it allocates for its first lost race, so that race is not counted.
      _ = Promise.race([promise, winner])
      let kept = Allocations.kept { for _ in 0..<1_000_000 { _ = Promise.race([promise, winner]) } }
      #expect(kept == 0)
    }
  }
}
