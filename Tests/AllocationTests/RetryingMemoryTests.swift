import PromiseCombinators
import Testing

extension MemoryTests {
  /// What `retry` takes. Lists as in `LinkMemoryTests`.
  @Suite("Allocations of retry")
  struct RetryingMemoryTests {
    private let shelf = Shelf()
    private let timers = HeldTimers()

    @Test("retry has the committed allocations before its closure runs")
    func retry() {
      let (_, allocations) = Allocations.counted { Promise<Int>.retry(on: shelf, timers: timers) { .fulfilled(1) } }
      // The first attempt: function 40, promise 164, which is an entry, and the job 25. What is tried anew: the closure
      // with all that `retry` was told 168, function 40, link 164. The backoff's closure 32.
      #expect(allocations.requested == [25, 32, 40, 40, 164, 164, 168])
    }

    @Test("A fulfilled attempt allocates nothing")
    func success() {
      let (_, allocations) = Allocations.counted(of: Promise<Int>.retry(on: shelf, timers: timers) { .fulfilled(1) }) {
        _ in shelf.run()
      }
      #expect(allocations.requested == [])
    }

    @Test("Each further attempt has the committed allocations and keeps no block")
    func attempt() {
      let failed = Promise<Int>.rejected(Failure())
      let growth = Growth.counted { count in
        let result = Promise.retry(attempts: count + 1, on: shelf, timers: timers) { failed }
        while shelf.run() || timers.ring() {}
        return result
      }
      // The attempt as above but for the backoff: 25, 40, 40, 164, 164, 168. The pause is an `after` (see
      // `TimingMemoryTests`): 24, 32, 32, 33, 72, 72, 88, 168. The attempt after it is a `thenOwned`: its closure 168,
      // function 40, link 164. 25 twice more: the jobs of that link and of the one that tries anew. The attempt's
      // promise is rejected already: the queue of what is to be fired 96. Two more lists 40.
      #expect(
        growth.perStep == [
          24, 25, 25, 25, 32, 32, 33, 40, 40, 40, 40, 40, 72, 72, 88, 96, 152, 164, 164, 164, 168, 168,
        ])
      #expect(growth.kept == 0)
    }

    private struct Failure: Error {}

    @Test("A backoff has the committed allocations, and the computation of a pause allocates nothing")
    func backoff() {
      let (_, constant) = Allocations.counted { Backoff.constant(.seconds(1)) }
      // The closure that keeps the pause.
      #expect(constant.requested == [32])
      let (_, jittered) = Allocations.counted { Backoff.exponential(first: .seconds(1)).jittered() }
      // The closures: 56 with first, factor and cap; 48 with the one before and what makes a random number.
      #expect(jittered.requested == [48, 56])
      let backoff = Backoff.exponential(first: .seconds(1)).jittered { 0.5 }
      let (_, pause) = Allocations.counted { backoff.pause(before: 7) }
      #expect(pause.requested == [])
    }
  }
}
